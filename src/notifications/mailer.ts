import type { SendMailOptions, Transporter } from "nodemailer";

/** A mail to one person. */
interface Mail {
  readonly to: string;
  /** The same at every attempt, so that a mail that was sent twice is recognised. */
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly unsubscribeUrl: string;
}

/** Sends mail through the configured server. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 20_000;

/** Makes a mailer; the library is loaded with the first mail. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  let opened: Promise<Transporter> | null = null;
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      url: smtpUrl,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // A message is text that we wrote: nothing of it may name a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    async send({ to, messageId, subject, text, unsubscribeUrl }) {
      opened ??= open();
      const message: SendMailOptions = {
        from,
        to: { name: "", address: to },
        messageId,
        subject,
        text,
        headers: {
          "List-Unsubscribe": `<${unsubscribeUrl}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          "Auto-Submitted": "auto-generated",
        },
      };
      await (await opened).sendMail(message);
    },
    close() {
      void opened?.then((transport) => transport.close());
    },
  };
}
