import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Guest } from "./guest.tsx";
import { Order } from "./order.tsx";
import { Person } from "./person.tsx";
import { Review } from "./review.tsx";
import "./page.css";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root element.");
createRoot(root).render(
  <StrictMode>
    <section aria-label="Standard">
      <Order />
    </section>
    <section aria-label="Own markup">
      <Person />
    </section>
    <section aria-label="Own widget">
      <Review />
    </section>
    <section aria-label="Right to left">
      <Guest />
    </section>
  </StrictMode>,
);
