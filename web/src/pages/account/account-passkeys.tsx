import { useMutation } from "@tanstack/react-query";
import type { Passkey } from "@workflow-ui/client";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { addPasskey, localhostPage, passkeysWork } from "../../api/passkeys.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { ago } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { RenameForm } from "../../ui/rename-form.tsx";
import { InputField } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

const refresh = () => refreshOperation("list_passkeys");

/** The signed-in person's passkeys: add, rename, remove. */
export function PasskeysPanel() {
  const passkeys = useOperation("list_passkeys", {});
  return (
    <Panel title="Passkeys" flush>
      <Load query={passkeys}>
        {({ passkeys: list }) => (
          <>
            {list.length === 0 ? (
              <p className="px-4 pt-4 text-ink-2">
                No passkeys yet. With one you sign in by fingerprint, face or PIN of your device, and can sign
                approvals.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((passkey) => (
                  <OnePasskey key={passkey.id} passkey={passkey} />
                ))}
              </ul>
            )}
            <div className="border-t border-line p-4 first:border-t-0">
              {passkeysWork() ? <AddPasskey /> : <NotHere />}
            </div>
          </>
        )}
      </Load>
    </Panel>
  );
}

/** Why passkeys cannot be used at this address, and where they can. */
function NotHere() {
  const page = localhostPage();
  return (
    <p className="text-sm text-ink-2">
      Passkeys need a secure address with a name.{" "}
      {page === null ? (
        "Open this page over https."
      ) : (
        <>
          Open it at <a href={page}>localhost</a> instead.
        </>
      )}
    </p>
  );
}

function AddPasskey() {
  const form = useSubmit(async ({ name = "", password = "" }, element) => {
    await addPasskey(name, password);
    element.reset();
    toast("good", "The passkey is added.");
    await refresh();
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      <InputField
        label="Name of the new passkey"
        {...form.field("name")}
        autoComplete="off"
        required
        hint="Such as the device that holds it."
      />
      <InputField
        label="Your password, if you have one"
        {...form.field("password")}
        type="password"
        autoComplete="current-password"
        hint="Not needed within 15 minutes of signing in with a passkey or a recovery code."
      />
      <ErrorText text={form.error} />
      <Button type="submit" busy={form.busy}>
        <Fingerprint /> Add a passkey
      </Button>
    </form>
  );
}

function OnePasskey({ passkey }: { readonly passkey: Passkey }) {
  const { id, name, lastUsedAt } = passkey;
  const [isRenaming, setRenaming] = useState(false);
  const { mutate: attempt, error } = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: () => setRenaming(false),
    onSettled: refresh,
  });
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isRenaming ? (
          <RenameForm
            name={name}
            onRename={(next) => attempt(() => call("rename_passkey", { id, name: next }))}
          />
        ) : (
          <div className="min-w-0 flex-1 basis-40">
            <p className="truncate font-medium">{name}</p>
            <p className="text-sm text-ink-2">
              Added {ago(passkey.createdAt)},{" "}
              {lastUsedAt === null ? "not used yet" : `last used ${ago(lastUsedAt)}`}
              {passkey.synced ? ", on several devices" : ""}
            </p>
          </div>
        )}
        <Button size="sm" aria-label={`Rename ${name}`} onClick={() => setRenaming(!isRenaming)}>
          {isRenaming ? "Cancel" : "Rename"}
        </Button>
        <Button
          size="sm"
          look="danger"
          aria-label={`Remove ${name}`}
          onClick={() => attempt(() => call("remove_passkey", { id }))}
        >
          Remove
        </Button>
      </div>
      <ErrorText text={error?.message} className="mt-1 text-sm text-bad" />
    </li>
  );
}
