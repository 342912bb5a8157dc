import type { OutputOf } from "@workflow-ui/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Fingerprint, LinkIcon, UserCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { followLink } from "../../api/account.ts";
import { followLinkWithPasskey, passkeysWork } from "../../api/passkeys.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Page, Panel, Skeleton } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { call } from "../../api/operations.ts";

const TITLES = {
  owner: "Create the owner",
  invite: "Join Workflow-UI",
  reset: "Sign in again",
} as const;

/** What of an account can outlive a new password. */
const KEEPABLE = [
  ["sessions", "Browsers that are signed in"],
  ["tokens", "Tokens that I made"],
  ["clients", "Programs that I connected"],
  ["passkeys", "Passkeys and recovery codes"],
] as const;

/** Follows a one-time link: the first owner, an invitation, or a new password. */
export function JoinPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  // The secret goes out of the address at once, so that it is in no history and no shared screen.
  useEffect(() => window.history.replaceState(window.history.state, "", "/join"), []);
  const link = useQuery({
    queryKey: ["link"],
    queryFn: ({ signal }) => call("look_at_link", { token }, { signal, interactive: false }),
    enabled: token !== "",
    gcTime: 0,
    retry: false,
    // Signing in invalidates what was read, but a link that was just used must not be looked up again.
    staleTime: "static",
  });
  return (
    <Page
      title={link.data === undefined ? "One-time link" : TITLES[link.data.kind]}
      lead={<Lead link={link.data} />}
    >
      <Panel className="max-w-md">
        {link.data !== undefined ? (
          <JoinForm token={token} {...link.data} />
        ) : token === "" || link.error !== null ? (
          <Empty
            icon={<LinkIcon />}
            title="This link does not work"
            action={
              <Link to="/sign-in" className={buttonClass()}>
                Sign in
              </Link>
            }
          >
            It was used, replaced or is over, or a part of it is missing. Ask an admin for a new one.
          </Empty>
        ) : (
          <Skeleton lines={4} />
        )}
      </Panel>
    </Page>
  );
}

function Lead({ link }: { readonly link: OutputOf<"look_at_link"> | undefined }) {
  if (link?.kind === "owner")
    return "The owner may do everything and invites the others. This link works once.";
  if (link?.kind === "invite")
    return `You are invited as ${link.person?.role}. You will sign in as ${link.person?.email}.`;
  return link?.kind === "reset" ? `For ${link.person?.email}.` : "Links let a person in once.";
}

function JoinForm({ token, kind, person }: OutputOf<"look_at_link"> & { readonly token: string }) {
  const navigate = useNavigate();
  const [differs, setDiffers] = useState(false);
  const [withPassword, setWithPassword] = useState(!passkeysWork());
  const form = useSubmit(async ({ email = "", name = "", password = "", again, ...chosen }) => {
    const keep = KEEPABLE.map(([what]) => what).filter((what) => chosen[`keep-${what}`] !== undefined);
    const about = {
      token,
      ...(kind === "owner" && { email }),
      ...(kind === "reset" ? { keep } : { name }),
    };
    if (withPassword) {
      setDiffers(password !== again);
      if (password !== again) return;
      await followLink({ ...about, password });
    } else await followLinkWithPasskey(about);
    toast("good", kind === "reset" ? "You can sign in again." : "Welcome. You are signed in.");
    await navigate({ to: "/" });
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      {kind === "owner" ? (
        <InputField
          label="E-mail address"
          {...form.field("email")}
          type="email"
          autoComplete="username"
          required
        />
      ) : (
        // For password managers: the account that the new password belongs to.
        <input type="hidden" name="username" autoComplete="username" value={person?.email ?? ""} readOnly />
      )}
      {kind === "reset" ? null : (
        <InputField
          label="Your name"
          {...form.field("name")}
          autoComplete="name"
          defaultValue={person?.name ?? ""}
          required
        />
      )}
      {withPassword ? (
        <>
          <InputField
            label="Password"
            {...form.field("password")}
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            hint="At least 12 characters. A few words work well."
          />
          <InputField
            label="Password again"
            name="again"
            type="password"
            autoComplete="new-password"
            required
            problem={differs ? "The two passwords differ." : undefined}
          />
        </>
      ) : (
        <p className="text-sm text-ink-2">
          Your device will ask for your fingerprint, your face or its PIN and keep a passkey for this account.
        </p>
      )}
      {kind === "reset" ? (
        <fieldset>
          <legend className="mb-1 font-medium">Keep</legend>
          {KEEPABLE.map(([what, label]) => (
            <label key={what} className="flex items-baseline gap-2">
              <input type="checkbox" name={`keep-${what}`} />
              <span>{label}</span>
            </label>
          ))}
          <p className="mt-1 text-sm text-ink-2">
            What is not kept ends now. Keep nothing if another person may know your old password.
          </p>
        </fieldset>
      ) : null}
      <ErrorText text={form.error} />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" type="submit" busy={form.busy}>
          {withPassword ? <UserCheck /> : <Fingerprint />}{" "}
          {kind === "owner"
            ? "Create the owner"
            : kind === "invite"
              ? "Join"
              : withPassword
                ? "Set password"
                : "Set passkey"}
        </Button>
        {passkeysWork() ? (
          <Button look="ghost" onClick={() => setWithPassword(!withPassword)}>
            {withPassword ? "Use a passkey" : "Use a password"}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
