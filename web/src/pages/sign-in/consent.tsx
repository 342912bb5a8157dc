import { useParams } from "@tanstack/react-router";
import { Page, Skeleton } from "../../ui/page.tsx";
import { CannotConnect, ConsentForm } from "./consent-form.tsx";
import { call, useOperation } from "../../api/operations.ts";

/** A client sent the person here: who asks, for what, yes or no. */
export function ConsentPage() {
  const { uid = "" } = useParams({ strict: false });
  const request = useOperation("get_client_request", { uid }, { retry: false, refetchOnWindowFocus: false });
  return (
    <Page title="Connect a program">
      {request.data !== undefined ? (
        <ConsentForm
          asked={request.data}
          decide={async (decision) => {
            const options = { interactive: false };
            const { continueAt } = await call("decide_client_request", { uid, ...decision }, options);
            window.location.assign(continueAt);
          }}
        />
      ) : request.error === null ? (
        <Skeleton lines={5} />
      ) : (
        <CannotConnect error={request.error} to={`/oauth/requests/${uid}`} />
      )}
    </Page>
  );
}
