import { useRouter, useSearch } from "@tanstack/react-router";
import { Building2, Fingerprint, LogIn } from "lucide-react";
import { useState } from "react";
import { signIn } from "../../api/account.ts";
import { passkeysWork, signInWithPasskey } from "../../api/passkeys.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { useOperation } from "../../api/operations.ts";

/** What happened at the company's sign-in, and what to do. */
const OIDC_PROBLEMS: Readonly<Record<string, string>> = {
  unavailable: "Your company's sign-in does not answer as it should. Try again later, or sign in below.",
  refused: "Your company's sign-in did not confirm who you are. Try again.",
  expired: "The sign-in took too long or began in another browser. Start again here.",
  "no-email":
    "Your company's sign-in gave no e-mail address. Ask its administrator to share it with this service.",
  "not-verified":
    "Your company has not verified your e-mail address. Ask its administrator, or an admin here.",
  "address-taken":
    "There is an account with your address already, and your company has not verified it. Sign in below, or ask an admin.",
  "no-role": "None of your groups has a role here. Ask an admin to give your group one.",
  disabled: "Your account is disabled. Ask an admin.",
};

/** Sign-in at the company's provider, where one is configured. */
function CompanySignIn({ to }: { readonly to: string }) {
  const ways = useOperation("list_sign_in_ways", {}, { staleTime: Number.POSITIVE_INFINITY });
  const oidc = ways.data?.oidc ?? null;
  if (oidc === null) return null;
  return (
    <div className="mb-4 border-b border-line pb-4">
      <a href={`${oidc.path}?to=${encodeURIComponent(to)}`} className={buttonClass("primary")}>
        <Building2 /> Sign in with {oidc.name}
      </a>
    </div>
  );
}

/** The quickest way, for those who have a passkey. */
function PasskeySignIn({ onDone }: { readonly onDone: () => void }) {
  const form = useSubmit(async () => {
    await signInWithPasskey();
    onDone();
  });
  if (!passkeysWork()) return null;
  return (
    <form onSubmit={form.onSubmit} className="mb-4 border-b border-line pb-4">
      <Button look="primary" type="submit" busy={form.busy}>
        <Fingerprint /> Sign in with a passkey
      </Button>
      <ErrorText text={form.error} className="mt-2 text-sm text-bad" />
    </form>
  );
}

/** Where to go after signing in: a page of ours, never another site. */
function pageIn(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

/** Signs a person in with a passkey, a password or a recovery code. */
export function SignInPage() {
  const { to, problem } = useSearch({ strict: false });
  const router = useRouter();
  // The sign-in of a client goes on at the server; everything else is a page.
  const go = (page: string) => {
    if (page.startsWith("/oauth/authorize?")) window.location.assign(page);
    else router.history.push(page);
  };
  const [recovering, setRecovering] = useState(false);
  const form = useSubmit(async ({ email = "", secret = "" }) => {
    await signIn(recovering ? { email, recoveryCode: secret } : { email, password: secret });
    go(recovering ? "/account" : pageIn(to));
  });
  return (
    <Page title="Sign in" lead="With your account you see and do what your role allows. No key is needed.">
      <Panel className="max-w-md">
        {problem === undefined ? null : (
          <p role="alert" className="mb-4 text-bad">
            {OIDC_PROBLEMS[problem] ?? OIDC_PROBLEMS["refused"]}
          </p>
        )}
        <CompanySignIn to={pageIn(to)} />
        <PasskeySignIn onDone={() => go(pageIn(to))} />
        <form onSubmit={form.onSubmit} className="space-y-4">
          <InputField
            label="E-mail address"
            {...form.field("email")}
            type="email"
            autoComplete="username"
            required
          />
          {recovering ? (
            <InputField
              key="code"
              label="Recovery code"
              name="secret"
              autoComplete="off"
              spellCheck={false}
              required
              hint="Each code works once. Set a new password afterwards."
            />
          ) : (
            <InputField
              key="password"
              label="Password"
              name="secret"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
          <ErrorText text={form.error} />
          <div className="flex flex-wrap items-center gap-2">
            <Button look="primary" type="submit" busy={form.busy}>
              <LogIn /> Sign in
            </Button>
            <Button look="ghost" onClick={() => setRecovering(!recovering)}>
              {recovering ? "Use the password" : "Use a recovery code"}
            </Button>
          </div>
        </form>
      </Panel>
      <p className="mt-4 max-w-md text-sm text-ink-2">
        No account? An admin invites people; the first owner follows the link that the service prints at its
        start.
      </p>
    </Page>
  );
}
