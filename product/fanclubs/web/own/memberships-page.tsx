import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { HeartHandshake } from 'lucide-react';
import { listMemberships } from '../../client.ts';
import { MembershipLine, PlanButtons } from '../join/own-membership.tsx';
import { useMembershipEvents } from '../live.ts';

const load = routeData({
  texts: ['fanclubs'],
  member: true,
  reads: () => [read(listMemberships, {})],
});
export { load as clientLoader, load as loader };

type Membership = OutputOf<typeof listMemberships>['memberships'][number];

/** All fan clubs a person is in: what happens next, and how to cancel, even if the room no longer exists. */
export default function MembershipsPage() {
  const { t } = useTranslation('fanclubs');
  const own = useRead(listMemberships, {});
  useMembershipEvents(useLobby(true));
  return (
    <Narrow title={t('mine.title')} lead={t('mine.lead')}>
      <Loaded read={own} height="h-64">
        {({ memberships }) => (memberships.length === 0
          ? (
            <EmptyState
              icon={<HeartHandshake size={28} aria-hidden />}
              text={t('mine.empty')}
              action={<ButtonLink to="/girls/fanclub/all">{t('mine.find')}</ButtonLink>}
            />
          )
          : (
            <ul aria-label={t('mine.title')} className="flex flex-col gap-4">
              {memberships.map((item) => (
                <li key={item.id}>
                  <OwnMembership membership={item} />
                </li>
              ))}
            </ul>
          ))}
      </Loaded>
    </Narrow>
  );
}

function OwnMembership({ membership }: { membership: Membership }) {
  const { t } = useTranslation('fanclubs');
  const { username, display_name: name, state, prices } = membership;
  const shown = name ?? t('mine.hidden');
  return (
    <Card className="flex flex-col gap-3 p-4">
      <h2 className="text-base font-bold break-words">
        <Typed>{shown}</Typed>
      </h2>
      <MembershipLine membership={membership} />
      {state === 'ended' ? null : <PlanButtons membership={membership} name={shown} prices={prices} />}
      {username === null ? null : (
        <div>
          <ButtonLink to={`/${username}/fanclub`} tone={state === 'active' ? 'quiet' : 'secondary'}>
            {t(state === 'active' ? 'mine.open' : 'mine.again')}
          </ButtonLink>
        </div>
      )}
    </Card>
  );
}
