import type { CredentialNeed } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { call, refreshOperation } from "../../api/operations.ts";
import { toast } from "../../shell/notices.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problems } from "../../ui/problems.tsx";
import { suggestName } from "../../form-maker/connection-source.ts";

const KINDS = [
  { value: "bearer", label: "Bearer token", secret: "Token" },
  { value: "apiKey", label: "API key", secret: "Key" },
  { value: "basic", label: "User name and password", secret: "Password" },
  { value: "oauth2", label: "Sign in (OAuth)", secret: "" },
  { value: "environment", label: "Environment variable of a program", secret: "Value" },
] as const;
const PLACES = ["header", "query", "cookie"] as const;
type Kind = (typeof KINDS)[number]["value"];

interface Props {
  readonly open: boolean;
  /** The address that the credential is for: its host is suggested. */
  readonly address: string;
  /** What is known about it: kind, place, parameter, user name. */
  readonly suggested?: Partial<CredentialNeed>;
  readonly onClose: () => void;
  readonly onMade: (name: string) => void;
}

/** Stores a credential. The secret is sent once and never shown again. */
export function CredentialDialog({ open, address, suggested = {}, onClose, onMade }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New credential"
      description="It is encrypted on the server, sent only to the hosts below, and never shown again."
    >
      <Fields address={address} suggested={suggested} onMade={onMade} />
    </Dialog>
  );
}

function Fields({
  address,
  suggested,
  onMade,
}: Pick<Props, "address" | "onMade"> & { readonly suggested: Partial<CredentialNeed> }) {
  const host = URL.parse(address)?.host ?? suggested.hosts?.[0] ?? "";
  const [kind, setKind] = useState<Kind>(
    KINDS.find(({ value }) => value === suggested.kind)?.value ?? "bearer",
  );
  const [name, setName] = useState(host === "" ? "" : suggestName(host));
  const [hosts, setHosts] = useState(host);
  const [secret, setSecret] = useState("");
  const [place, setPlace] = useState(PLACES.find((one) => one === suggested.in) ?? "header");
  const [parameter, setParameter] = useState(suggested.parameter ?? "X-API-Key");
  const [username, setUsername] = useState(suggested.username ?? "");
  const [resource, setResource] = useState(address);
  const chosen = KINDS.find((item) => item.value === kind);
  const save = useMutation({
    mutationFn: async () => {
      await call("create_credential", {
        name,
        kind,
        hosts: hosts.split(/[\s,]+/).filter((item) => item !== ""),
        ...(kind === "apiKey" && { in: place, parameter }),
        ...(kind === "basic" && { username }),
        ...(kind === "oauth2" ? { resource } : { secret }),
        ...(address.startsWith("http://") && { allowHttp: true }),
      });
      await refreshOperation("list_credentials");
      if (kind === "oauth2") {
        const { authorizationUrl } = await call("authorize_credential", { name });
        window.open(authorizationUrl, "_blank", "noopener");
        toast("info", "Sign in on the page that opened, then come back");
      }
    },
    onSuccess: () => onMade(name),
  });
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label className="block">
        <span className="mb-1 block text-sm font-medium">Kind</span>
        <select
          value={kind}
          onChange={(event) =>
            setKind(KINDS.find((item) => item.value === event.target.value)?.value ?? kind)
          }
          className="field-control"
        >
          {KINDS.map((item) => (
            <option key={item.value} value={item.value}>
              {item.label}
            </option>
          ))}
        </select>
      </label>
      <Text label="Name" value={name} onChange={setName} mono required />
      <Text
        label={kind === "environment" ? "Connections whose program gets it" : "Hosts it may be sent to"}
        value={hosts}
        onChange={setHosts}
        mono
        required
        hint={
          kind === "environment"
            ? "names of connections, separated by commas"
            : "separated by commas, with the port where it is not the usual one"
        }
      />
      {kind === "apiKey" ? (
        <div className="flex gap-3">
          <label className="block">
            <span className="mb-1 block text-sm font-medium">Sent in</span>
            <select
              value={place}
              onChange={(event) => setPlace(PLACES.find((one) => one === event.target.value) ?? place)}
              className="field-control"
            >
              {PLACES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <Text label="Called" value={parameter} onChange={setParameter} mono required />
        </div>
      ) : null}
      {kind === "basic" ? <Text label="User name" value={username} onChange={setUsername} required /> : null}
      {kind === "oauth2" ? (
        <Text label="Address of the server" value={resource} onChange={setResource} mono required />
      ) : (
        <label className="block">
          <span className="mb-1 block text-sm font-medium">{chosen?.secret}</span>
          <input
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            required
            className="field-control font-mono"
          />
        </label>
      )}
      <Problems of={save.error} />
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={save.isPending}>
          <KeyRound /> {kind === "oauth2" ? "Store and sign in" : "Store"}
        </Button>
      </div>
    </form>
  );
}

function Text({
  label,
  value,
  onChange,
  hint,
  mono = false,
  required = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly mono?: boolean;
  readonly required?: boolean;
}) {
  return (
    <label className="block min-w-0 flex-1">
      <span className="mb-1 block text-sm font-medium">{label}</span>
      <input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        spellCheck={false}
        required={required}
        className={mono ? "field-control font-mono" : "field-control"}
      />
      {hint === undefined ? null : <span className="mt-1 block text-sm text-ink-2">{hint}</span>}
    </label>
  );
}
