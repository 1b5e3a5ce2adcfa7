import { useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { read, readPages, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getOwnClub, listMembers } from '../../client.ts';
import type { PostDoor } from '../posts/post-card.tsx';
import { Posts } from '../posts/posts.tsx';
import { ClubForm } from './club-form.tsx';
import { MemberList } from './member-list.tsx';

const load = routeData({
  texts: ['fanclubs', 'accounts'],
  member: true,
  reads: () => [read(getOwnClub, {}), readPages(listMembers, {})],
});
export { load as clientLoader, load as loader };

/** A performer cannot join their own club. */
const NO_DOOR: PostDoor = { tiers: [], busy: null, onJoin: () => undefined, refused: null };

/** A performer's own fan club: its settings, and its members. */
export default function ClubSettingsPage() {
  const { t } = useTranslation('fanclubs');
  const own = useRead(getOwnClub, {});
  const me = useMe();
  const username = me?.user.username ?? '';
  const lobby = useLobby(true);
  return (
    <Wide title={t('settings.title')} lead={t('settings.lead', { percent: own.data?.share_percent ?? '' })}>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] lg:items-start">
        <div className="flex min-w-0 flex-col gap-6">
          <Section
            anchor="club"
            title={t('settings.club')}
            lead={t('settings.clubLead')}
            action={<ButtonLink to={`/${username}/fanclub`}>{t('settings.see')}</ButtonLink>}
          >
            <Loaded read={own} height="h-96">{({ club }) => <ClubForm club={club} />}</Loaded>
          </Section>
          <Section anchor="members" title={t('settings.members')} lead={t('settings.membersLead')}>
            <MemberList />
          </Section>
        </div>
        <Section anchor="posts" title={t('posts.title')} lead={t('posts.ownLead')}>
          <Loaded read={own} height="h-96">
            {({ club: { enabled } }) => (
              <Posts
                username={username}
                name={me?.user.display_name ?? username}
                door={NO_DOOR}
                owner={{ isOpen: enabled }}
                connection={lobby}
              />
            )}
          </Loaded>
        </Section>
      </div>
    </Wide>
  );
}
