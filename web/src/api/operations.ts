import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { requestOf, type InputOf, type OperationName, type OutputOf } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { queryClient } from "./queries.ts";
import { envelopeError, restAnswer } from "./rpc.ts";
import { session } from "./session.ts";

/** Options of a call. */
interface CallOptions {
  readonly signal?: AbortSignal;
  /** Ask for a key on a 401 and send again; by default only what changes something does. */
  readonly interactive?: boolean;
}

/** Calls an operation of the service; an answer that is not ok is thrown with the reason it names. */
export async function call<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  options: CallOptions = {},
): Promise<OutputOf<N>> {
  const { method, address, body } = requestOf(name, input);
  const answer = await restAnswer(address, {
    method,
    ...(body !== undefined && { bodyText: body }),
    ...options,
  });
  if (!answer.ok) throw envelopeError(answer.data, answer.status);
  const envelope: { readonly data: OutputOf<N> } = JSON.parse(answer.text);
  return envelope.data;
}

/** The answer of an operation that reads. It is asked again when the person or the key changes. */
export function useOperation<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  options: { readonly staleTime?: number; readonly enabled?: boolean } = {},
): UseQueryResult<OutputOf<N>> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: [name, generation, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    ...options,
  });
}

/** Asks again what was read with an operation. */
export function refreshOperation(name: OperationName): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [name] });
}
