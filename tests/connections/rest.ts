import type { AnswerAt } from "../support/answers.ts";
import type { TestService } from "../support/service.ts";

/** An answer of the connection routes. */
export interface RestAnswer<D> {
  readonly status: number;
  readonly body: { readonly ok: boolean; readonly data: D };
}

/** Asks a route below /api/svc/connections with the service's key. */
export async function rest<M extends string, P extends string>(
  service: Pick<TestService, "fetch"> & { readonly key?: string },
  method: M,
  path: P,
  body?: unknown,
): Promise<RestAnswer<AnswerAt<M, `/api/svc/connections${P}`>>> {
  const response = await service.fetch(`/api/svc/connections${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.key ?? ""}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
