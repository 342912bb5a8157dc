import type { TestService } from "../support/service.ts";

/** An answer of the connection routes. */
export interface RestAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

/** Asks a route below /api/svc/connections with the service's key. */
export async function rest(
  service: Pick<TestService, "fetch"> & { readonly key?: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<RestAnswer> {
  const response = await service.fetch(`/api/svc/connections${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.key ?? ""}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
