import { LRUCache } from "lru-cache";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { RunStore } from "../ports/store.ts";
import { parseDocument } from "../workflows/document.ts";
import { compileProgram, type Program } from "../workflows/interpreter/program.ts";

const CACHE_SIZE = 500;

/** Documents made ready to run, by digest. A document never changes under its digest, so neither does its program. */
export class Programs {
  readonly #cache = new LRUCache<string, Program>({ max: CACHE_SIZE });

  /** The program of a document that is at hand. */
  of(digest: string, document: JsonObject): Program {
    return this.#cache.get(digest) ?? this.#keep(digest, document);
  }

  /** The program of a stored document. */
  async load(digest: string, runs: RunStore): Promise<Program> {
    const known = this.#cache.get(digest);
    if (known !== undefined) return known;
    const document = await runs.document(digest);
    if (document === null) throw new AppError("internal", `The document ${digest} of a run is not stored.`);
    return this.#keep(digest, document);
  }

  #keep(digest: string, document: JsonObject): Program {
    const program = compileProgram(digest, parseDocument(document).document);
    this.#cache.set(digest, program);
    return program;
  }
}
