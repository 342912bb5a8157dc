import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../../kernel/errors.ts";

/** What a new hash costs. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/* Argon2id with the parameters that OWASP names: 19 MiB, two passes, one lane. */
const OWASP: PasswordCost = { memoryKib: 19_456, passes: 2 };
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/=-]{1,128})\$([\w+/=-]{1,128})$/;

/** Hashes that are made at the same time; each holds its memory for a fifth of a second. */
const AT_ONCE = 2;
const MAX_WAITING = 40;

/** The shortest and longest password, in characters. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const;

/** Makes and checks hashes of passwords, a few at a time, so that sign-ins cannot take the machine. */
export interface Passwords {
  /** The PHC string to keep. */
  hash(password: string): Promise<string>;
  /** True when the password is the one behind the hash; without a hash it takes the same time and is false. */
  matches(password: string, stored: string | null): Promise<boolean>;
}

/** Makes the hasher; only tests, which sign in hundreds of times, let a hash cost less. */
export function createPasswords({ memoryKib, passes }: PasswordCost = OWASP): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];
  const derive = async (password: string, salt: Buffer, memory: number, times: number, lanes: number) => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MAX_WAITING) {
        throw new AppError("overloaded", "Too many people are signing in at this moment; try again.", {
          retryAfterSeconds: 5,
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        argon2(
          "argon2id",
          {
            message: password.normalize("NFKC"),
            nonce: salt,
            parallelism: lanes,
            tagLength: TAG_BYTES,
            memory,
            passes: times,
          },
          (error, tag) => (error === null ? resolve(tag) : reject(error)),
        );
      });
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const tag = await derive(password, salt, memoryKib, passes, LANES);
      return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${base64(salt)}$${base64(tag)}`;
    },
    async matches(password, stored) {
      const [, memory, times, lanes, salt, tag] = STORED.exec(stored ?? "") ?? [];
      const expected = Buffer.from(tag ?? "", "base64");
      const made = await derive(
        password,
        salt === undefined ? randomBytes(SALT_BYTES) : Buffer.from(salt, "base64"),
        Number(memory ?? memoryKib),
        Number(times ?? passes),
        Number(lanes ?? LANES),
      );
      return expected.length === made.length && timingSafeEqual(expected, made);
    },
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
