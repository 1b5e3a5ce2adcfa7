import { useRead } from '../../../../platform/ui/calls/calls.ts';
import { read, readPages, routeData } from '../../../../platform/ui/calls/route.ts';
import { ButtonLink } from '../../../../platform/ui/controls/button.tsx';
import { Wide } from '../../../../platform/ui/surfaces/page.tsx';
import { Loaded, Section } from '../../../../platform/ui/surfaces/section.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { getOwnClub, listMembers } from '../../client.ts';
import { ClubForm } from './club-form.tsx';
import { MemberList } from './member-list.tsx';

const load = routeData({
  texts: ['fanclubs'], member: true, reads: () => [read(getOwnClub, {}), readPages(listMembers, {})],
});
export { load as loader, load as clientLoader };

/** A performer's own fan club: what it offers, and who is in it. */
export default function ClubSettingsPage() {
  const { t } = useTranslation('fanclubs');
  const own = useRead(getOwnClub, {});
  const username = useMe()?.user.username;
  return (
    <Wide title={t('settings.title')} lead={t('settings.lead', { percent: own.data?.share_percent ?? '' })}>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] lg:items-start">
        <Section anchor="club" title={t('settings.club')} lead={t('settings.clubLead')}
          action={<ButtonLink to={`/${username ?? ''}/fanclub`}>{t('settings.see')}</ButtonLink>}>
          <Loaded read={own} height="h-96">{({ club }) => <ClubForm club={club} />}</Loaded>
        </Section>
        <Section anchor="members" title={t('settings.members')} lead={t('settings.membersLead')}>
          <MemberList />
        </Section>
      </div>
    </Wide>
  );
}
