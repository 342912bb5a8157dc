import { OperationError, type ClientRequest } from "@workflow-ui/client";
import { useSearch } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useSubmit } from "../../lib/use-submit.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";
import { CannotConnect, ConsentForm } from "./consent-form.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { call } from "../../api/operations.ts";

/** A program without a browser shows a code: the person types it here and decides. */
export function DevicePage() {
  const { user_code: given = "" } = useSearch({ strict: false });
  const [asked, setAsked] = useState<{ readonly code: string; readonly details: ClientRequest } | null>(null);
  const [signedOut, setSignedOut] = useState<Error | null>(null);
  const [done, setDone] = useState<"connected" | "denied" | null>(null);
  const form = useSubmit(async ({ code = "" }) => {
    try {
      setAsked({ code, details: await call("look_at_device_code", { code }, { interactive: false }) });
    } catch (error) {
      if (error instanceof OperationError && error.status === 401) setSignedOut(error);
      else throw error;
    }
  });
  return (
    <Page title="Connect a program" lead="The program shows a code of eight letters. Type it here.">
      {done !== null ? (
        <Panel className="max-w-2xl">
          <Empty
            icon={done === "connected" ? <CircleCheck /> : <CircleX />}
            title={done === "connected" ? "The program is connected" : "The program is not connected"}
          >
            You can close this page.
          </Empty>
        </Panel>
      ) : signedOut !== null ? (
        <CannotConnect
          error={signedOut}
          to={given === "" ? "/device" : `/device?user_code=${encodeURIComponent(given)}`}
        />
      ) : asked === null ? (
        <Panel className="max-w-md">
          <form onSubmit={form.onSubmit} className="space-y-4">
            <InputField
              label="Code"
              {...form.field("code")}
              defaultValue={given}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
            />
            <ErrorText text={form.error} />
            <Button look="primary" type="submit" busy={form.busy}>
              Go on
            </Button>
          </form>
        </Panel>
      ) : (
        <ConsentForm
          asked={asked.details}
          decide={async (decision) => {
            const options = { interactive: false };
            await call("decide_device_code", { code: asked.code, ...decision }, options);
            setDone("denied" in decision ? "denied" : "connected");
          }}
        />
      )}
    </Page>
  );
}
