import { routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link, useSearchParams } from 'react-router';
import { ConfirmButton } from '../email/confirm-button.tsx';
import { returnPath, useMe } from '../me.ts';

const wanted = { texts: ['accounts'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

const LINK = 'inline-flex min-h-11 items-center text-link hover:underline';

/** What a new member can do now, and the way back to where they came from. */
export default function WelcomePage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const user = useMe()?.user;
  // Always a path on this site.
  const next = returnPath(query.get('next'));
  if (!user) return null;
  return (
    <Narrow title={t('welcome.title', { username: user.username })} lead={t('welcome.lead')}>
      <ol className="flex list-decimal flex-col gap-4 pl-5">
        <li>
          <p>{t(user.email_confirmed ? 'welcome.confirmed' : 'welcome.confirm')}</p>
          {user.email_confirmed ? null : (
            <div className="mt-2">
              <ConfirmButton />
            </div>
          )}
        </li>
        <li>
          <p>{t('welcome.look')}</p>
          <Link to="/girls" className={LINK}>{t('welcome.browse')}</Link>
        </li>
        <li>
          <p>{t('welcome.tokens')}</p>
          <Link to="/account/tokens" className={LINK}>{t('welcome.get')}</Link>
        </li>
      </ol>
      <div className="mt-6">
        <ButtonLink to={next} tone="primary">{t(next === '/' ? 'confirm.home' : 'welcome.back')}</ButtonLink>
      </div>
    </Narrow>
  );
}
