import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { FormSettings } from "@workflow-ui/forms-react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadAccount } from "./api/account.ts";
import { followEvents } from "./api/events.ts";
import { queryClient } from "./api/operations.ts";
import { router } from "./router.tsx";
import { formSettings } from "./shell/form-settings.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root element.");

void loadAccount();
followEvents();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <FormSettings value={formSettings}>
        <RouterProvider router={router} />
      </FormSettings>
    </QueryClientProvider>
  </StrictMode>,
);
