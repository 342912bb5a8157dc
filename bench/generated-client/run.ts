import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startService, TEST_KEY } from "../../tests/support/service.ts";

/*
 * Started by tests/operations/generated-client.test.ts: makes a client of the service's own /openapi.yaml with openapi-typescript, checks the types
 * of five whole tasks that are written with it (tasks.ts), and carries them out with openapi-fetch.
 */

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = fileURLToPath(new URL("node_modules/.bin/", import.meta.url));

/** An API that others run: it answers orders to callers with its token, and takes webhooks. */
const api = createServer((request, response) => {
  const { address, port } = addressOf();
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url === "/openapi.json") return send(200, description(`http://${address}:${port}`));
  if (request.headers.authorization !== "Bearer orders-token-1") return send(401, { error: "no token" });
  return send(200, { id: request.url?.split("/").at(-1), total: 42 });
});

const addressOf = (): AddressInfo => {
  const address = api.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return address;
};

await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
const { port } = addressOf();
const service = await startService({ settings: { trustedHosts: [`127.0.0.1:${port}`] } });
let failures = 0;
try {
  mkdirSync(`${here}dist`, { recursive: true });
  writeFileSync(`${here}dist/openapi.yaml`, await (await service.fetch("/openapi.yaml")).text());
  step("generate", `${bin}openapi-typescript`, ["dist/openapi.yaml", "-o", "dist/schema.d.ts"]);
  step("type check", `${bin}tsc`, ["-p", "tsconfig.json"]);
  const { TASKS } = await import("./tasks.ts");
  const given = { baseUrl: service.url, key: TEST_KEY, apiUrl: `http://127.0.0.1:${port}` };
  for (const [name, task] of Object.entries(TASKS)) {
    const began = performance.now();
    await task(given).then(
      () => console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`),
      (error: unknown) => {
        failures += 1;
        console.error(`FAIL ${name}`, error);
      },
    );
  }
} finally {
  await service.close();
  api.close();
  api.closeAllConnections();
}
process.exitCode = failures === 0 ? 0 : 1;

function step(name: string, file: string, args: readonly string[]): void {
  const began = performance.now();
  execFileSync(file, args, { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`);
}

function description(url: string): unknown {
  return {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    servers: [{ url }],
    security: [{ token: [] }],
    paths: {
      "/orders/{id}": {
        get: {
          operationId: "getOrder",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { "200": { description: "The order." } },
        },
      },
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}
