import type { Settings } from "../ports/settings.ts";

/** Reads the settings of the mail server; `refusal` makes the error that names what is wrong with one. */
export function smtpSettings(
  url: string | undefined,
  from: string | undefined,
  baseUrl: string,
  refusal: (message: string) => Error,
): Settings["smtp"] {
  if (url === undefined) return null;
  if (!URL.canParse(url) || !/^smtps?:$/.test(new URL(url).protocol) || new URL(url).hostname === "") {
    // The address itself may hold a password, so it is not repeated.
    throw refusal("SMTP_URL must be smtp://[user:password@]host[:port] or smtps://….");
  }
  const sender = from ?? `workflow-ui@${new URL(baseUrl).hostname}`;
  if (!/^[^\s<>,;@]{1,64}@[^\s<>,;@]{1,190}$/.test(sender)) {
    throw refusal(`SMTP_FROM is "${sender}", which is not an e-mail address.`);
  }
  return { url, from: sender };
}
