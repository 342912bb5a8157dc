import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { SESSION_COOKIE } from "../../src/access/people/cookie.ts";
import { relyingParty } from "../../src/access/people/relying-party.ts";
import type { OidcSettings } from "../../src/ports/settings.ts";
import { SoftPasskey } from "../people/authenticator.ts";
import { tokenIn, Visitor, type Answer } from "../people/support.ts";
import type { AnswerAt } from "../support/answers.ts";
import { TEST_KEY, type TestService } from "../support/service.ts";
import { ask } from "./support.ts";

/* Paths of the canary sweep on which people and programs come in: webhooks, toolsets, passkeys, a company's sign-in. */

/** What these paths need of the sweep. */
export interface AccessWorld {
  readonly service: TestService;
  /** Everything that the service answered, but for what it shows once on purpose. */
  readonly answers: string[];
  readonly identity: Identity;
  /** Occurs in every name that is not secret. */
  readonly control: string;
  /** Makes a text that may be found nowhere from now on. */
  readonly newSecret: () => string;
  /** A text that may be found nowhere from now on. */
  readonly hide: (secret: string) => void;
}

/** A company's identity provider that repeats what it was sent in its refusals. */
export interface Identity {
  readonly settings: OidcSettings;
  answer(request: IncomingMessage, seen: string, response: ServerResponse): void;
}

/** Prepares the provider below an address. */
export async function openIdentity(
  issuer: string,
  control: string,
  newSecret: () => string,
): Promise<Identity> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const clientId = `${control}-client`;
  const tokens = async (seen: string): Promise<readonly [number, unknown]> => {
    if (seen.includes("code=refused-")) return [401, { error: "invalid_client", error_description: seen }];
    if (seen.includes("code=odd-")) return [200, { token_type: seen }];
    const nonce = /code=nonce\.([\w-]+)\./.exec(seen)?.[1];
    const claims = { nonce, email: `${control}@example.com`, email_verified: true, name: control };
    const idToken = await new SignJWT({ ...claims, groups: ["all"] })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setSubject(`${control}-employee`)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
    return [200, { token_type: "Bearer", access_token: newSecret(), id_token: idToken, expires_in: 60 }];
  };
  const documents: Readonly<Record<string, unknown>> = {
    "/.well-known/openid-configuration": {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    },
    "/jwks": { keys: [jwk] },
  };
  return {
    settings: {
      issuer,
      clientId,
      clientSecret: newSecret(),
      name: control,
      groupsClaim: "groups",
      roles: [["*", "viewer"]],
    },
    answer({ url = "" }, seen, response) {
      const path = url.slice(new URL(issuer).pathname.length);
      const answered = path === "/token" ? tokens(seen) : Promise.resolve([200, documents[path]] as const);
      void answered.then(([status, body]) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    },
  };
}

/** Asks as a person with a session, and keeps the answer. */
async function asked<M extends string, P extends string>(
  { answers }: AccessWorld,
  visitor: Visitor,
  method: M,
  path: P,
  body?: unknown,
): Promise<Answer<AnswerAt<M, P>>> {
  const answer = await visitor.ask(method, path, body);
  answers.push(answer.text);
  return answer;
}

/** The paths, as the sweep takes them. */
export const ACCESS_PATHS: readonly (readonly [title: string, run: (world: AccessWorld) => Promise<void>])[] =
  [
    [
      "webhooks are sent with their secret, with a wrong one and with a new one, and looked at",
      async (world) => {
        const { service, answers, control, newSecret, hide } = world;
        const nodes = [{ id: "echo", type: "transform", value: { $expr: "inputs" } }];
        const made = await service.call(
          "create_workflow",
          { name: control, nodes, edges: [] },
          { key: true },
        );
        const workflowId: string = made.envelope.data.workflow.id;
        await service.call("publish_workflow", { id: workflowId }, { key: true });
        for (const verifier of ["token", "github"]) {
          // What it answers shows the secret, this once.
          const created = await ask(service, "POST", "/api/svc/triggers", {
            workflowId,
            kind: "webhook",
            verifier,
            name: control,
            ...(verifier === "github" && { secret: newSecret() }),
          });
          assert.equal(created.status, 201, created.text);
          const path = `/api/svc/triggers/${created.data.trigger.id}` as const;
          const send = async (secret: string): Promise<number> => {
            hide(secret);
            const body = JSON.stringify({ control });
            const signature = createHmac("sha256", secret).update(body).digest("hex");
            hide(signature);
            const response = await service.fetch(`/hooks/${created.data.trigger.id}`, {
              method: "POST",
              headers: {
                "content-type": "application/json",
                ...(verifier === "token"
                  ? { authorization: `Bearer ${secret}`, "x-webhook-token": secret }
                  : { "x-hub-signature-256": `sha256=${signature}`, "x-github-delivery": randomUUID() }),
              },
              body,
            });
            answers.push(await response.text());
            return response.status;
          };
          assert.equal(await send(created.data.secret ?? ""), 202);
          assert.equal(await send(newSecret()), 401);
          const changed = await ask(service, "PATCH", path, { newSecret: true });
          assert.equal(await send(changed.data.secret ?? ""), 202);
          assert.equal(await send(created.data.secret ?? ""), 401);
          for (const below of ["", "/history", "/sample"])
            answers.push((await ask(service, "GET", `${path}${below}`)).text);
          answers.push((await ask(service, "PATCH", path, { secret: newSecret(), cron: "no" })).text);
        }
      },
    ],
    [
      "a toolset is used with a key of its own",
      async ({ service, answers, control, hide }) => {
        const tools = ["bearer:echo", "bearer:refuse", "basic:echo", "cookie:cut", "mcp-http:say"];
        const made = await ask(service, "POST", "/api/svc/toolsets", {
          name: "canaries",
          title: control,
          tools,
        });
        assert.equal(made.status, 201, made.text);
        const key = await ask(service, "POST", "/api/svc/keys", { name: control, scopes: ["run"] });
        const { token } = key.data;
        hide(token);
        const at = async (method: string, params: object): Promise<string> => {
          const response = await service.fetch("/mcp/canaries", {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
          });
          answers.push(await response.text());
          return answers.at(-1) ?? "";
        };
        for (const name of tools) {
          const tool = name.replace(":", "_");
          assert.ok((await at("tools/list", {})).includes(`"${tool}"`), `${tool} is not listed`);
          assert.doesNotMatch(await at("tools/call", { name: tool, arguments: {} }), /-32602/, tool);
        }
        answers.push(made.text, (await ask(service, "GET", "/api/svc/toolsets/canaries")).text);
      },
    ],
    [
      "a person sets a password, adds a passkey, signs in with it and forges it",
      async (world) => {
        const { service, control, newSecret, hide } = world;
        const invited = await ask(service, "POST", "/api/svc/people", {
          email: `${control}-person@example.com`,
          name: control,
          role: "editor",
        });
        const token = tokenIn(invited.data.invitation.url);
        hide(token);
        const password = newSecret();
        const visitor = new Visitor(service);
        await asked(world, visitor, "POST", "/api/svc/invitations/follow", { token, password });
        const passkeys = "/api/svc/passkeys";
        const origin = relyingParty(service.app.services.settings.baseUrl).origins[0] ?? "";
        const device = new SoftPasskey(origin);
        await asked(world, visitor, "POST", `${passkeys}/options`, { password: newSecret() });
        const creation = await asked(world, visitor, "POST", `${passkeys}/options`, { password });
        const passkey = device.create(creation.data.publicKey);
        const added = await asked(world, visitor, "POST", passkeys, { name: control, passkey });
        assert.equal(added.status, 201, added.text);
        for (const twist of [{}, { origin: "https://evil.example" }]) {
          const other = new Visitor(service);
          const options = await asked(world, other, "POST", `${passkeys}/sign-in-options`);
          const given = device.get(options.data.publicKey, twist);
          hide(given.response.signature);
          const answer = await asked(world, other, "POST", `${passkeys}/sign-in`, { passkey: given });
          assert.equal(answer.status, "origin" in twist ? 401 : 201, answer.text);
          if (other.cookie !== null) hide(other.cookie);
        }
        assert.ok(visitor.cookie !== null);
        hide(visitor.cookie);
        const tokenOf = await visitor.ask("POST", "/api/svc/tokens", { name: control, scopes: ["run"] });
        hide(tokenOf.data.token);
        for (const path of ["/api/svc/account", passkeys, "/api/svc/tokens", "/api/svc/sessions"])
          await asked(world, visitor, "GET", path);
        await asked(world, new Visitor(service), "POST", "/api/svc/sessions", {
          email: `${control}-person@example.com`,
          password: newSecret(),
        });
      },
    ],
    [
      "people sign in at a company's provider that refuses the client secret, repeats it, and takes it",
      async ({ service, answers, identity, newSecret, hide }) => {
        hide(identity.settings.clientSecret);
        for (const code of ["refused-", "odd-", "nonce."]) {
          const begun = await service.fetch("/api/svc/sign-in/oidc", { redirect: "manual" });
          const sent = new URL(begun.headers.get("location") ?? "").searchParams;
          const [cookie = ""] = (begun.headers.getSetCookie()[0] ?? "").split(";");
          const kept = Buffer.from(cookie.split("=")[1] ?? "", "base64url").toString();
          const { verifier } = JSON.parse(kept);
          hide(verifier);
          const secret = newSecret();
          const query = new URLSearchParams({
            code: `${code}${code === "nonce." ? `${sent.get("nonce")}.` : ""}${secret}`,
            state: sent.get("state") ?? "",
            iss: identity.settings.issuer,
          });
          const ended = await service.fetch(`/api/svc/sign-in/oidc/callback?${query.toString()}`, {
            redirect: "manual",
            headers: { cookie },
          });
          answers.push(await ended.text(), ended.headers.get("location") ?? "");
          const to = code === "nonce." ? "/" : /^\/sign-in\?problem=/;
          assert.match(ended.headers.get("location") ?? "", new RegExp(to), code);
          const session = ended.headers.getSetCookie().find((line) => line.startsWith(SESSION_COOKIE));
          const value = /=([^;]+)/.exec(session ?? "")?.[1];
          assert.equal(value !== undefined, code === "nonce.", code);
          if (value !== undefined) hide(value);
        }
        const ways = await service.fetch("/api/svc/sign-in", {
          headers: { authorization: `Bearer ${TEST_KEY}` },
        });
        answers.push(await ways.text());
      },
    ],
  ];
