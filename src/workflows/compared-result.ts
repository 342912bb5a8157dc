import { isObject } from "../kernel/json.ts";

/** A result as runs are compared by it: HTTP answers in it without their headers and time, which are others each time. */
export function comparedResult(value: unknown): unknown {
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (!isObject(item) || typeof item["status"] !== "number" || !isObject(item["headers"])) return item;
    const { headers: _headers, elapsedMs: _elapsedMs, ...rest } = item;
    return rest;
  });
  return text === undefined ? undefined : JSON.parse(text);
}
