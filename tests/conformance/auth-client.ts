import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";
import { isObject } from "../../src/kernel/json.ts";
import { openSignIn } from "../vault/support.ts";

/*
 * The client that the official suite's `auth` scenarios test: this service with a credential in its vault and a
 * connection to the suite's server. The person who signs in is played by following the redirect.
 */

const KEY = "conformance-key-with-every-right";
/** Consents are given this often; a server that is never content ends the attempt. */
const MAX_CONSENTS = 2;
/** The suite accepts one fixed address as a client id metadata document; an operator would give it like this. */
const METADATA_DOCUMENT = "https://conformance-test.local/client-metadata.json";

/** What the suite gives a client. */
export interface Scenario {
  readonly serverUrl: string;
  readonly name: string;
  /** A client that the suite has registered before, among others. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** Signs in to the suite's server with a service of its own, and calls what it offers. */
export async function playClient(scenario: Scenario): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-client-"));
  const settings = loadSettings([], {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "client.db")}`,
    SVC_API_KEY: KEY,
    LOG_LEVEL: "silent",
    SVC_TRUSTED_HOSTS: "localhost,127.0.0.1",
  });
  if (typeof settings === "string") throw new TypeError("settings expected");
  const app = await startApp(settings);
  try {
    await signInAndCall(scenario, `http://127.0.0.1:${app.port}`);
  } finally {
    await app.close(1_000);
    await rm(folder, { recursive: true, force: true });
  }
}

async function signInAndCall(scenario: Scenario, base: string): Promise<void> {
  const { serverUrl, name } = scenario;
  let consents = 0;

  /** Opens the address as a browser would; the suite's server agrees at once and sends the browser back. */
  const consent = async (): Promise<void> => {
    consents += 1;
    const { authorizationUrl } = await post(base, "/api/svc/credentials/suite/authorize", {});
    const { url, cookie } = await openSignIn(String(authorizationUrl));
    const agreed = await fetch(url, { redirect: "manual" });
    const back = await fetch(agreed.headers.get("location") ?? "about:blank", { headers: { cookie } });
    if (!back.ok) throw new Error(`the sign-in failed: ${await back.text()}`);
  };

  /** Does it again after a consent when the service says that one is needed. */
  const again = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    for (;;) {
      try {
        return await post(base, path, body);
      } catch (error) {
        if (!String(error).includes("consent") || consents >= MAX_CONSENTS) throw error;
        await consent();
      }
    }
  };

  const credential = { name: "suite", kind: "oauth2", resource: serverUrl, ...clientOf(scenario) };
  await post(base, "/api/svc/credentials", credential);
  if (!name.includes("client-credentials")) await consent();
  const connection = { name: "suite", kind: "mcp", url: serverUrl, credential: "suite" };
  const made = await again("/api/svc/connections", connection);
  const definitions = Array.isArray(made["definitions"]) ? made["definitions"] : [];
  for (const definition of definitions) {
    if (!isObject(definition)) continue;
    await again(`/api/svc/connections/suite/call/${String(definition["name"])}`, { arguments: {} });
  }
}

/** The client that the scenario has registered before, if it has one. */
function clientOf({ name, context }: Scenario): Record<string, unknown> {
  if (name === "auth/basic-cimd") return { clientId: METADATA_DOCUMENT, clientAuth: "none" };
  const { client_id: clientId, client_secret: secret, private_key_pem: privateKey } = context;
  if (typeof clientId !== "string") return {};
  return {
    clientId,
    ...(name.includes("client-credentials") && { grant: "client_credentials" }),
    ...(typeof privateKey === "string" ? { clientAuth: "private_key_jwt", secret: privateKey } : { secret }),
  };
}

async function post(base: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(base + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || answer["ok"] !== true || !isObject(answer["data"])) throw new Error(text);
  return answer["data"];
}
