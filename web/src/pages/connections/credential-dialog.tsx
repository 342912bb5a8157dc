import type { CredentialNeed, InputOf } from "@workflow-ui/client";
import type { JsonObject } from "@workflow-ui/forms";
import { KeyRound } from "lucide-react";
import { call, refreshOperation } from "../../api/operations.ts";
import { SchemaForm } from "../../form-maker/schema-form.tsx";
import { toast } from "../../shell/notices.ts";
import { Dialog } from "../../ui/dialog.tsx";

interface Props {
  readonly open: boolean;
  /** The connection that it is for, which gives it its name. */
  readonly connection: string;
  /** The address that the credential is for: its host is suggested. */
  readonly address: string;
  /** What is known about it: kind, place, parameter, user name. */
  readonly suggested?: Partial<CredentialNeed>;
  readonly onClose: () => void;
  readonly onMade: (name: string) => void;
}

/** What the form gives: an input of the operation whose hosts are one text. */
type Filled = Omit<InputOf<"create_credential">, "hosts"> & { readonly hosts: string };

/** Stores a credential. The secret is sent once and never shown again. */
export function CredentialDialog({ open, connection, address, suggested = {}, onClose, onMade }: Props) {
  const kinds = kindsFor(address, suggested, connection);
  const chosen = kinds.find(({ kind }) => kind === suggested.kind) ?? kinds[0];
  const save = async ({ hosts, ...filled }: Filled) => {
    const { name, kind } = filled;
    await call("create_credential", {
      ...filled,
      hosts: hosts.split(/[\s,]+/).filter((item) => item !== ""),
      ...(address.startsWith("http://") && { allowHttp: true }),
    });
    await refreshOperation("list_credentials");
    if (kind === "oauth2") {
      const { authorizationUrl } = await call("authorize_credential", { name });
      window.open(authorizationUrl, "_blank", "noopener");
      toast("info", "Sign in on the page that opened, then come back");
    }
    onMade(name);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New credential"
      description="It is encrypted on the server, sent only to the hosts below, and never shown again."
    >
      <SchemaForm
        title="credential"
        schema={{ oneOf: kinds.map(({ schema }) => schema) }}
        value={chosen?.value ?? {}}
        send={save}
        submitLabel={
          <>
            <KeyRound /> Store
          </>
        }
      />
    </Dialog>
  );
}

/** The fields of each kind, and what a form of that kind begins with. */
function kindsFor(address: string, suggested: Partial<CredentialNeed>, connection: string) {
  const host = URL.parse(address)?.host ?? suggested.hosts?.[0] ?? "";
  const { in: place = "header", parameter = "X-API-Key", username = "" } = suggested;
  const name = text("Name", connection);
  const hosts = {
    ...text("Hosts it may be sent to", host),
    description: "Separated by commas, with the port where it is not the usual one.",
  };
  const programs = {
    ...text("Connections whose program gets it", host),
    description: "Names of connections, separated by commas.",
  };
  const sentIn = { title: "Sent in", enum: ["header", "query", "cookie"], default: place };
  return [
    kindOf("bearer", "Bearer token", { name, hosts, secret: secret("Token") }),
    kindOf("apiKey", "API key", {
      name,
      hosts,
      in: sentIn,
      parameter: text("Called", parameter),
      secret: secret("Key"),
    }),
    kindOf("basic", "User name and password", {
      name,
      hosts,
      username: text("User name", username),
      secret: secret("Password"),
    }),
    kindOf("oauth2", "Sign in (OAuth)", {
      name,
      hosts,
      resource: {
        ...text("Address of the server", address),
        description: "When it is stored, the page for signing in opens.",
      },
    }),
    kindOf("environment", "Environment variable of a program", {
      name,
      hosts: programs,
      secret: secret("Value"),
    }),
  ];
}

function kindOf(kind: string, title: string, properties: Readonly<Record<string, JsonObject>>) {
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    field["default"] === undefined ? [] : [[name, field["default"]] as const],
  );
  const schema = {
    title,
    type: "object",
    required: ["kind", ...Object.keys(properties)],
    properties: { kind: { const: kind }, ...properties },
  };
  return { kind, schema, value: { kind, ...Object.fromEntries(defaults) } };
}

function text(title: string, suggested: string): JsonObject {
  return { type: "string", minLength: 1, title, ...(suggested !== "" && { default: suggested }) };
}

function secret(title: string): JsonObject {
  return { type: "string", minLength: 1, title, format: "password" };
}
