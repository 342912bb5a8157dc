import { Type, type TObject, type TSchema } from "typebox";
import { AppError } from "../../kernel/errors.ts";
import { inputOf } from "../../model/common.ts";
import {
  DeviceCodeView,
  OAuthErrorView,
  OAuthTokensView,
  RegisteredClient,
  ResourceMetadataView,
  ServerMetadataView,
} from "../../model/oauth.ts";
import type { HttpAnswer } from "../../ports/http.ts";
import { operationsWith, type Operation } from "../../ports/operations.ts";
import { PATHS } from "./names.ts";
import type { OAuthParts } from "./open.ts";
import { MCP_PATHS, RESOURCE_METADATA, type Resources } from "./resources.ts";
import type { AuthorizationServer } from "./server.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

const { contentOperation, protocolOperation } = operationsWith<OAuthParts>();
const PUBLIC = { access: "public", effect: "write", idempotent: false, failure: OAuthErrorView } as const;
const READ = { access: "public", effect: "none", idempotent: true, input: inputOf({}) } as const;
const DOCUMENT = { ignoresOthers: true, kind: "file", contentType: JSON_TYPE } as const;
const isServed = ({ oauth: { server } }: OAuthParts): boolean => server !== null;
const text = (description: string) => Type.Optional(Type.String({ description }));

const resourceMetadata = contentOperation({
  ...READ,
  ...DOCUMENT,
  name: "get_resource_metadata",
  title: "Read protected resource metadata",
  description:
    "Protected resource metadata of this service or one of its MCP endpoints: who gives tokens for it.",
  http: `GET ${RESOURCE_METADATA}`,
  aliases: MCP_PATHS.map((path) => `${RESOURCE_METADATA}${path}` as const),
  isServed: ({ oauth: { resources } }) => resources !== null,
  output: ResourceMetadataView,
  answer: (_input, { request }, { oauth: { resources } }) =>
    document(
      there<Resources>(resources).metadata(
        MCP_PATHS.find((path) => request.path === `${RESOURCE_METADATA}${path}`) ?? "",
      ),
    ),
});

const serverMetadata = contentOperation({
  ...READ,
  ...DOCUMENT,
  name: "get_authorization_server_metadata",
  title: "Read authorization server metadata",
  description: "Authorization server metadata: where MCP clients register and sign in.",
  http: `GET ${PATHS.metadata}`,
  isServed,
  output: ServerMetadataView,
  answer: (_input, _call, { oauth: { server } }) => document(serving(server).metadata()),
});

const authorize = protocolOperation({
  ...READ,
  name: "authorize_client",
  title: "Begin the sign-in of a client",
  description: "Begins the sign-in of an MCP client in a browser (OAuth 2.1 code flow with PKCE).",
  http: `GET ${PATHS.authorize}`,
  isServed,
  status: 303,
  contentType: "text/html",
  input: inputOf({
    client_id: text("The client: what register_client gave, or the address of its metadata document."),
    redirect_uri: text("Where the browser continues; one that the client registered."),
    response_type: text("code."),
    code_challenge: text("The PKCE challenge."),
    code_challenge_method: text("S256."),
    scope: text("The scopes that the client asks for, separated by spaces."),
    state: text("What the client gets back."),
    resource: text("What the token is for (RFC 8707)."),
  }),
  output: Type.String({ description: "The browser is sent on to the consent page." }),
  failure: OAuthErrorView,
  handle: ({ request }, { oauth: { server } }) => serving(server).authorize(request),
});

const resume = protocolOperation({
  ...READ,
  name: "resume_authorization",
  title: "Go on with the sign-in of a client",
  description: "Goes on with the sign-in of an MCP client after the person decided.",
  http: `GET ${PATHS.authorize}/{uid}`,
  isServed,
  status: 303,
  contentType: "text/html",
  input: inputOf({ uid: Type.String({ description: "The sign-in." }) }),
  output: Type.String({ description: "The browser is sent back to the client." }),
  failure: OAuthErrorView,
  handle: ({ request }, { oauth: { server } }) => serving(server).resume(request),
});

/** An endpoint that clients post forms to; `needed` is the parameter without which it is no request. */
function form(
  path: `/${string}`,
  needed: string,
  words: { readonly name: string; readonly title: string; readonly description: string },
  shapes: { readonly input: TObject; readonly output: TSchema },
): Operation<OAuthParts> {
  return protocolOperation({
    ...PUBLIC,
    ...words,
    ...shapes,
    http: `POST ${path}`,
    isServed,
    contentType: JSON_TYPE,
    bodyType: FORM,
    handle: ({ request }, { oauth: { server } }) => serving(server).form(request, needed),
  });
}

const clientId = text("The client.");
const assertion = {
  client_assertion_type: text("urn:ietf:params:oauth:client-assertion-type:jwt-bearer."),
  client_assertion: text("What a client that signs its requests proves itself with."),
};

const token = form(
  PATHS.token,
  "grant_type",
  {
    name: "request_token",
    title: "Get tokens",
    description: "Gives tokens for a code, a refresh token or a device code.",
  },
  {
    input: inputOf({
      grant_type: Type.String({
        description: "authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code.",
      }),
      client_id: clientId,
      code: text("The code that the browser brought."),
      code_verifier: text("What the PKCE challenge was made from."),
      redirect_uri: text("The redirect_uri of the request for the code."),
      refresh_token: text("A refresh token."),
      device_code: text("The code of a device."),
      resource: text("What the token is for (RFC 8707)."),
      ...assertion,
    }),
    output: OAuthTokensView,
  },
);

const revoke = form(
  PATHS.revoke,
  "token",
  {
    name: "revoke_client_token",
    title: "Revoke a client's token",
    description: "Revokes a token of the client that sends it.",
  },
  {
    input: inputOf({
      token: Type.String({ description: "The token." }),
      token_type_hint: text("access_token or refresh_token."),
      client_id: clientId,
      ...assertion,
    }),
    output: Type.String({ description: "Empty." }),
  },
);

const device = form(
  PATHS.deviceAuthorization,
  "client_id",
  {
    name: "begin_device_sign_in",
    title: "Begin a sign-in with a code",
    description: "Begins the sign-in of a program without a browser.",
  },
  {
    input: inputOf({
      client_id: Type.String({ description: "The client." }),
      scope: text("The scopes that the client asks for, separated by spaces."),
      resource: text("What the token is for (RFC 8707)."),
    }),
    output: DeviceCodeView,
  },
);

const register = protocolOperation({
  ...PUBLIC,
  name: "register_client",
  title: "Register a client",
  description: "Registers an MCP client (RFC 7591); it can do nothing until a person connects it.",
  http: `POST ${PATHS.register}`,
  isServed,
  status: 201,
  contentType: JSON_TYPE,
  maxBodyBytes: 16_384,
  input: inputOf({
    redirect_uris: Type.Array(Type.String(), { description: "Where browsers may be sent back to." }),
    client_name: text("What people see."),
    client_uri: text("The web page of the client."),
    grant_types: Type.Optional(
      Type.Array(Type.String(), { description: "The grants that the client will use." }),
    ),
    token_endpoint_auth_method: text("none or private_key_jwt."),
  }),
  output: RegisteredClient,
  handle: ({ request }, { oauth: { server } }) => serving(server).register(request),
});

/** The endpoints of OAuth: metadata, and those that oidc-provider answers. */
export const oauthOperations = [
  resourceMetadata,
  serverMetadata,
  authorize,
  resume,
  token,
  revoke,
  device,
  register,
];

/** The authorization server. */
export function serving(server: AuthorizationServer | null): AuthorizationServer {
  return there(server);
}

/** Operations that are not served here are not reached either. */
function there<T>(part: T | null): T {
  if (part === null) throw new AppError("not_found", "There is nothing at this path.");
  return part;
}

function document(content: object): HttpAnswer {
  return {
    status: 200,
    headers: { "access-control-allow-origin": "*", "cache-control": "public, max-age=300" },
    contentType: JSON_TYPE,
    content: JSON.stringify(content),
  };
}
