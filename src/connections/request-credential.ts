import { AppError } from "../kernel/errors.ts";
import { isChallenge, type Authorization } from "../ports/credentials.ts";
import type { CallContext } from "../ports/definitions.ts";

const NOTHING: Authorization = { headers: {}, query: {}, cookies: {}, secrets: [], renewable: false };

/** The credential of a connection for the requests of one call: what the fetcher asks at each hop. */
export class RequestCredential {
  /** Everything secret that was sent so far. */
  readonly secrets: Set<string>;
  readonly #name: string | null;
  readonly #context: CallContext;
  readonly #signal: AbortSignal;
  readonly #isOptional: boolean;
  #last: Authorization | null = null;
  #refused: { readonly authorization: Authorization; readonly challenge: string } | null = null;

  constructor(
    name: string | null,
    context: CallContext,
    {
      signal = context.signal,
      secrets = new Set<string>(),
      isOptional = false,
    }: {
      readonly signal?: AbortSignal;
      readonly secrets?: Set<string>;
      /** A credential that is bound to other hosts is not used, instead of being an error. */
      readonly isOptional?: boolean;
    } = {},
  ) {
    this.#name = name;
    this.#context = context;
    this.#signal = signal;
    this.secrets = secrets;
    this.#isOptional = isOptional;
  }

  readonly authorize = async (url: URL): Promise<Authorization> => {
    if (this.#name === null) return NOTHING;
    const { services, caller } = this.#context;
    const refused = this.#refused;
    try {
      this.#last = await services.credentials.authorize(this.#name, url, {
        caller,
        signal: this.#signal,
        ...(refused !== null && { refused: refused.authorization }),
        ...(refused !== null && refused.challenge !== "" && { challenge: refused.challenge }),
      });
    } catch (error) {
      if (this.#isOptional && error instanceof AppError) return NOTHING;
      throw error;
    }
    for (const secret of this.#last.secrets) this.secrets.add(secret);
    return this.#last;
  };

  /** True, once, when an answer asks for a fresh token and there can be one: the next request carries it. */
  renewsFor(answer: Parameters<typeof isChallenge>[0]): boolean {
    if (!isChallenge(answer) || this.#last?.renewable !== true || this.#refused !== null) return false;
    this.#refused = { authorization: this.#last, challenge: answer.headers["www-authenticate"] ?? "" };
    return true;
  }
}
