import { Type, type Static, type TOptional, type TString } from "typebox";
import { TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";
import { CLIENT_AUTH, CREDENTIAL_KINDS, KEY_PLACES, OAUTH_GRANTS } from "./credential-choices.ts";

/** What is not secret of a credential: where an API key goes, the user, the grant and the addresses of OAuth. */
const settings = {
  parameter: text(128, "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "apiKey: the header, query parameter or cookie."),
  username: text(255, "^[^\\x00-\\x1f\\x7f-\\x9f:]+$", "basic: a user name without a colon."),
  grant: Type.Optional(
    Type.Enum([...OAUTH_GRANTS], {
      description:
        "oauth2: whether a person signs in (authorization_code, the default) or the client itself.",
    }),
  ),
  resource: address("oauth2: the MCP server or API that the tokens are for."),
  issuer: address("oauth2: the authorization server, where the resource names none."),
  authorizationUrl: address("oauth2: for a server without metadata."),
  tokenUrl: address("oauth2: for a server without metadata."),
  clientId: text(2_048, "^[\\x20-\\x7e]+$", "oauth2: a client that was registered before, in ASCII."),
  clientAuth: Type.Optional(
    Type.Enum([...CLIENT_AUTH], {
      description: "oauth2: how the client proves who it is; the server's metadata decides without it.",
    }),
  ),
  scope: text(
    4_096,
    "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+(?: [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$",
    "oauth2: the scopes to ask for, separated by single spaces.",
  ),
};

/** The settings of a credential as they are stored. */
export const CredentialSettings = Type.Object({
  ...settings,
  in: Type.Optional(Type.Enum([...KEY_PLACES, "environment"], { description: "Where the secret goes." })),
  allowHttp: Type.Optional(Type.Boolean()),
});
export type CredentialSettings = Static<typeof CredentialSettings>;

/** A credential without its secret. */
export const CredentialView = viewOf("Credential", "A credential without its secret.", {
  ...CredentialSettings.properties,
  name: Type.String(),
  kind: Type.Enum([...CREDENTIAL_KINDS]),
  hosts: Type.Array(Type.String(), { description: "The hosts that it may be sent to." }),
  owner: Type.String({ description: "shared, or the id of the caller who alone uses it." }),
  allowHttp: Type.Boolean({ description: "Whether it is sent over http to another machine." }),
  state: Type.Enum(["ready", "consent_required", "unusable"], {
    description:
      "consent_required: a person has to sign in; unusable: the secret cannot be read any more. nextAction says what to do.",
  }),
  nextAction: TextOrNull,
  revision: Type.Integer(),
  tokenIssuedAt: Type.Optional(TimeOrNull),
  tokenExpiresAt: Type.Optional(TimeOrNull),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
});
export type CredentialView = Static<typeof CredentialView>;

/** How a credential proves who is calling. */
export type CredentialKind = CredentialView["kind"];

const CredentialName = Type.String({
  pattern: "^[a-z][a-z0-9-]{0,62}$",
  description: "Lower-case letters, digits and hyphens, beginning with a letter, 1 to 63 characters.",
});

/** The secret of a credential, and where it may be sent: what can be replaced. Each kind also takes the name that people know it by. */
export const CREDENTIAL_CHANGE = {
  hosts: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 50,
      description:
        "Hosts (host or host:port) that it may be sent to; oauth2 takes the resource's without it. environment: names of the connections whose program gets it.",
    }),
  ),
  secret: secret("Token, key, password or client secret. No answer ever holds it."),
  token: secret("bearer: another name of secret."),
  key: secret("apiKey: another name of secret."),
  password: secret("basic: another name of secret."),
  clientSecret: secret("oauth2: another name of secret."),
  value: secret("environment: another name of secret."),
};

/** What describes a new credential. */
export const CREDENTIAL_INPUT = {
  name: CredentialName,
  kind: Type.Enum([...CREDENTIAL_KINDS], { description: "How it proves who is calling." }),
  owner: text(200, "^[\\x21-\\x7e]+$", "shared (default), me, or the id of a caller."),
  allowHttp: Type.Optional(
    Type.Boolean({ description: "Also send it over http to a host that is not this machine." }),
  ),
  in: Type.Optional(
    Type.Enum([...KEY_PLACES], { description: "apiKey: where the key goes; header without it." }),
  ),
  ...CREDENTIAL_CHANGE,
  ...settings,
};

/** What a rotation of the master key did. */
export const RotationView = viewOf("VaultRotation", "What a rotation of the master key did.", {
  masterKeyId: Type.String(),
  rewrapped: Type.Integer({ description: "Credentials whose data key the new master key wraps now." }),
  unusable: Type.Array(Type.String(), {
    description: "Credentials that no key of this process opens; they were left as they are.",
  }),
});
export type RotationView = Static<typeof RotationView>;

function text(maxLength: number, pattern: string, description: string): TOptional<TString> {
  return Type.Optional(Type.String({ maxLength, pattern, description }));
}

function address(description: string): TOptional<TString> {
  return text(4_096, "^[hH][tT][tT][pP][sS]?://[^#]+$", description);
}

function secret(description: string): TOptional<TString> {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, writeOnly: true, description }));
}
