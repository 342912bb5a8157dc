import { createHash, timingSafeEqual } from "node:crypto";
import type { Provenance } from "../../ports/provenance.ts";

const COOKIE = "__Host-suite-device";
const VALUE = /(?:^|; )__Host-suite-device=(person_\w{1,60})\.([0-9a-f]{64})(?:;|$)/;
const SECONDS = 180 * 24 * 60 * 60;

/**
 * The mark of a browser in which a person has signed in. It gives no right: it tells the person's own browsers from those
 * of strangers who guess passwords or ask for work. Lax, because people come from other sites with it.
 */
export class Devices {
  readonly #provenance: Pick<Provenance, "saidSalt">;

  constructor(provenance: Pick<Provenance, "saidSalt">) {
    this.#provenance = provenance;
  }

  /** The cookie that marks a browser of this person. */
  async cookie(personId: string): Promise<string> {
    const value = `${personId}.${await this.#markOf(personId)}`;
    return `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${SECONDS}`;
  }

  /** The person whose browser sent this Cookie header, or null. */
  async personOf(header: string | undefined): Promise<string | null> {
    const [, personId, mark] = VALUE.exec(header ?? "") ?? [];
    if (personId === undefined || mark === undefined) return null;
    const wanted = Buffer.from(await this.#markOf(personId));
    return timingSafeEqual(wanted, Buffer.from(mark)) ? personId : null;
  }

  /** Nothing is stored: the mark follows from the service's secret and the person. */
  async #markOf(personId: string): Promise<string> {
    const salt = await this.#provenance.saidSalt("known device", personId);
    return createHash("sha256").update(`device ${salt}`).digest("hex");
  }
}
