import { Type, type Static } from "typebox";
import { freeObject, Time, TimeOrNull, viewOf } from "./common.ts";
import { ScopeName } from "./keys.ts";

/** What a client asks for. */
export const ClientRequestView = viewOf("ClientRequest", "What a client that wants to connect asks for.", {
  client: Type.Object({
    id: Type.String(),
    name: Type.String(),
    host: Type.String({ description: "The host that the client is sent back to." }),
  }),
  resource: Type.String({ description: "What its token counts for." }),
  scopes: Type.Array(
    Type.Object({
      name: ScopeName,
      about: Type.String(),
      allowed: Type.Boolean({ description: "Whether the person's own role holds it." }),
      preset: Type.Boolean({ description: "Whether the page has it switched on at first." }),
    }),
  ),
});
export type ClientRequestView = Static<typeof ClientRequestView>;

/** A client that a person connected. */
export const ConnectedClientView = viewOf("ConnectedClient", "A client that a person connected.", {
  id: Type.String(),
  personId: Type.String(),
  clientId: Type.String(),
  name: Type.String(),
  host: Type.String({ description: "The host that the client was sent back to." }),
  scopes: Type.Array(Type.String()),
  resources: Type.Array(Type.String(), { description: "What its tokens count for." }),
  createdAt: Time,
  lastUsedAt: TimeOrNull,
  expiresAt: Time,
});
export type ConnectedClientView = Static<typeof ConnectedClientView>;

const texts = Type.Array(Type.String());

/** Who gives tokens for a resource (RFC 9728). */
export const ResourceMetadataView = viewOf("ResourceMetadata", "Protected resource metadata (RFC 9728).", {
  resource: Type.String(),
  authorization_servers: texts,
  scopes_supported: texts,
  bearer_methods_supported: texts,
  resource_name: Type.String(),
});
export type ResourceMetadataView = Static<typeof ResourceMetadataView>;

/** What the authorization server can do (RFC 8414). */
export const ServerMetadataView = viewOf(
  "AuthorizationServerMetadata",
  "Authorization server metadata (RFC 8414).",
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    registration_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    device_authorization_endpoint: Type.String(),
    scopes_supported: texts,
    response_types_supported: texts,
    response_modes_supported: texts,
    grant_types_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    token_endpoint_auth_signing_alg_values_supported: texts,
    revocation_endpoint_auth_methods_supported: texts,
    code_challenge_methods_supported: texts,
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    service_documentation: Type.String(),
  },
);
export type ServerMetadataView = Static<typeof ServerMetadataView>;

/** An error as OAuth writes it (RFC 6749, RFC 7591). */
export const OAuthErrorView = viewOf("OAuthError", "An error as RFC 6749 writes it.", {
  error: Type.String(),
  error_description: Type.Optional(Type.String()),
});

/** Tokens as OAuth gives them. */
export const OAuthTokensView = viewOf("OAuthTokens", "The answer of the token endpoint (RFC 6749).", {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
});

/** The begin of a device's sign-in (RFC 8628). */
export const DeviceCodeView = viewOf("DeviceCode", "The begin of a sign-in with a code (RFC 8628).", {
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.Optional(Type.String()),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
});

/** A client as it was registered. */
export const RegisteredClient = freeObject("RFC 7591 lets a server answer with any metadata of the client.");
