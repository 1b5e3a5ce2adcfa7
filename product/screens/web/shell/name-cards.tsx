import { useNameCards, type Named } from '#product/accounts/web/name-button.tsx';
import { lazy, Suspense, useState } from 'react';

/** Loaded when somebody presses a name. */
const NameCard = lazy(() => import('../room/users/name-card.tsx'));

/** The card of a name, over any page without a room. */
export default function NameCards() {
  const [named, setNamed] = useState<Named | null>(null);
  useNameCards(setNamed);
  if (named === null) return null;
  return (
    <Suspense fallback={null}>
      <NameCard named={named} onClose={() => setNamed(null)} />
    </Suspense>
  );
}
