import { useTexts } from '#platform/ui/text/use-translation.ts';
import type { Named } from '#product/accounts/web/name-button.tsx';
import { useIgnoring } from '#product/messaging/web/ignoring/ignoring.ts';
import { Reporting } from '#product/moderation/web/report-button.tsx';
import type { ReportTarget } from '#product/moderation/web/target.ts';
import { namedOnly } from '#product/rooms/web/person-card.tsx';
import { useState } from 'react';
import UserCard from './user-card.tsx';

interface NameCardProps {
  readonly named: Named;
  readonly onClose: () => void;
}

const nothing = (): void => undefined;

/** The card of somebody named on a page without a room: who they are, with reporting and ignoring. */
export default function NameCard(props: NameCardProps) {
  const hasTexts = [useTexts('screens'), useTexts('messaging'), useTexts('moderation')];
  return hasTexts.every(Boolean) ? <Card {...props} /> : null;
}

function Card({ named: { username, name, isStaff = false }, onClose }: NameCardProps) {
  const ignoring = useIgnoring();
  const [target, setTarget] = useState<ReportTarget | null>(null);
  if (target) return <Reporting target={target} onClose={onClose} />;
  return (
    <UserCard
      user={namedOnly(username, isStaff, name === undefined ? {} : { display_name: name })}
      offers={[]}
      onAct={nothing}
      onMention={null}
      isPerformer={false}
      ignoring={ignoring}
      onReport={setTarget}
      onClose={onClose}
    />
  );
}
