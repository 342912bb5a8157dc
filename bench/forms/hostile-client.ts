import { parentPort } from "node:worker_threads";

/*
 * The caller of the schemas, in a thread of its own: what it costs to write the requests and to read the
 * answers is not the service's.
 */

interface Call {
  readonly url: string;
  readonly body: string;
  readonly key?: string;
}

parentPort?.on("message", ({ url, body, key }: Call) => {
  void (async () => {
    const started = performance.now();
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body,
    });
    const text = await response.text();
    const ms = performance.now() - started;
    const ok: unknown = JSON.parse(text).result?.structuredContent?.ok;
    parentPort?.postMessage({ ms, status: response.status, ok, bytes: Buffer.byteLength(text) });
  })();
});
