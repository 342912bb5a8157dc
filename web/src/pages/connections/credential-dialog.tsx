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
import { InputField, SelectField } from "../../ui/fields.tsx";

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
      <SelectField label="Kind" value={kind} options={KINDS} onChoose={setKind} />
      <InputField
        className="min-w-0 flex-1"
        spellCheck={false}
        label="Name"
        value={name}
        onText={setName}
        look="font-mono"
        required
      />
      <InputField
        className="min-w-0 flex-1"
        spellCheck={false}
        label={kind === "environment" ? "Connections whose program gets it" : "Hosts it may be sent to"}
        value={hosts}
        onText={setHosts}
        look="font-mono"
        required
        hint={
          kind === "environment"
            ? "names of connections, separated by commas"
            : "separated by commas, with the port where it is not the usual one"
        }
      />
      {kind === "apiKey" ? (
        <div className="flex gap-3">
          <SelectField label="Sent in" value={place} options={PLACES} onChoose={setPlace} />
          <InputField
            className="min-w-0 flex-1"
            spellCheck={false}
            label="Called"
            value={parameter}
            onText={setParameter}
            look="font-mono"
            required
          />
        </div>
      ) : null}
      {kind === "basic" ? (
        <InputField
          className="min-w-0 flex-1"
          spellCheck={false}
          label="User name"
          value={username}
          onText={setUsername}
          required
        />
      ) : null}
      {kind === "oauth2" ? (
        <InputField
          className="min-w-0 flex-1"
          spellCheck={false}
          label="Address of the server"
          value={resource}
          onText={setResource}
          look="font-mono"
          required
        />
      ) : (
        <InputField
          label={chosen?.secret}
          look="font-mono"
          type="password"
          autoComplete="off"
          value={secret}
          required
          onText={setSecret}
        />
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
