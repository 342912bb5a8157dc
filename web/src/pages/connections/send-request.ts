import { buildRequest, type BuiltRequest, type RequestTemplate } from "@workflow-ui/forms";
import { authHeaders } from "../../api/session.ts";
import type { RawAnswer } from "../../api/rpc.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The request of a form if it goes to this service itself, the sample that needs no connection; else null. */
export function requestHere(template: RequestTemplate, value: unknown): BuiltRequest | null {
  const request = buildRequest(template, value, true);
  const url = URL.parse(request.url, location.origin);
  if (url?.origin !== location.origin || request.parts.length > 0 || request.problems.length > 0) return null;
  return { ...request, url: url.href };
}

/** Sends a request to this service and gives the answer in the shape of a connected call. */
export async function sendHere(request: BuiltRequest): Promise<RawAnswer> {
  const began = performance.now();
  const response = await fetch(request.url, {
    method: request.method,
    headers: { ...Object.fromEntries(request.headers), ...authHeaders() },
    ...(request.body !== null && { body: request.body }),
    cache: "no-store",
  });
  const text = await response.text();
  const ms = performance.now() - began;
  const body = parseJson(text) ?? text;
  const headers = Object.fromEntries(response.headers);
  return {
    text,
    ms,
    status: response.status,
    traceId: "",
    requestId: response.headers.get("x-request-id") ?? String(began),
    ok: response.ok,
    refusal: null,
    data: { status: response.status, headers, body, elapsedMs: ms },
  };
}
