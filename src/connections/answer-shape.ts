import { AppError } from "../kernel/errors.ts";
import { jsonShape, shapeProblem, type JsonShape } from "../kernel/json-shape.ts";
import type { CallContext } from "../ports/definitions.ts";

/** Larger answers are counted in a thread. */
const LARGE_BYTES = 512 * 1024;

/** Why a JSON text that a server sent keeps its bytes only, and the id it has as a message of JSON-RPC. */
export interface AnswerShape {
  readonly problem: string | null;
  readonly id: string | null;
}

/** Counts the values of a JSON text before anything of it is built: what it costs is another's choice. */
export async function answerShape(
  bytes: Uint8Array,
  context: Pick<CallContext, "services">,
  { anyLength = false } = {},
): Promise<AnswerShape> {
  const shape = bytes.byteLength > LARGE_BYTES ? await counted(bytes, context) : jsonShape(bytes);
  return { problem: shapeProblem(anyLength ? { ...shape, bytes: 0 } : shape), id: shape.id };
}

async function counted(bytes: Uint8Array, { services }: Pick<CallContext, "services">): Promise<JsonShape> {
  try {
    return await services.workers.run("json_shape", null, undefined, bytes);
  } catch (error) {
    // The call was made: an answer is not lost because every thread is at work.
    if (!(error instanceof AppError)) throw error;
    return jsonShape(bytes);
  }
}
