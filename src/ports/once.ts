import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "./definitions.ts";
import type { StoreTx } from "./store.ts";

type KeyedCall = Pick<CallContext, "services" | "caller" | "meta">;

/** What the same request under the same key gave before, else what it gives now: both in one transaction. */
export async function onceUnderKey<T>(
  tx: StoreTx,
  { services, caller, meta }: KeyedCall,
  { scope, request }: { readonly scope: string; readonly request: unknown },
  known: (answer: JsonObject) => Promise<T | null>,
  make: () => Promise<{ readonly made: T; readonly answer: JsonObject }>,
): Promise<T> {
  const given = meta["svc/idempotencyKey"];
  if (typeof given !== "string") return (await make()).made;
  const key = `${caller.id}:${given}`;
  const requestDigest = digestOf(request);
  const earlier = await tx.idempotency.get(scope, key);
  if (earlier !== null && earlier.requestDigest !== requestDigest)
    throw new AppError("conflict", "This idempotency key was used for another request.");
  const found = earlier === null ? null : await known(earlier.answer);
  if (found !== null) return found;
  const { made, answer } = await make();
  const createdAt = new Date(services.clock.now()).toISOString();
  if (!(await tx.idempotency.insert({ scope, key, requestDigest, answer, createdAt })))
    throw new AppError("conflict", "A request with this idempotency key is being carried out.", {
      nextAction: "Send it again: it gives what that one gave.",
    });
  return made;
}
