import { routeData } from '#platform/ui/calls/route.ts';
import { settingsData, SettingsPage } from '#product/accounts/web/pages/settings-page.tsx';
import { DocumentsToSign } from '#product/agreements/web/documents-to-sign.tsx';

const wanted = { ...settingsData, texts: [...settingsData.texts, 'agreements'] };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The settings of an account, below what waits for its person’s signature. */
export default function AccountSettingsPage() {
  return (
    <SettingsPage>
      <DocumentsToSign />
    </SettingsPage>
  );
}
