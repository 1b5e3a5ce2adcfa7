import type { OutputOf } from '#platform/contract/call.ts';
import { useCache, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReasonField, reasonOf } from '#product/billing/web/admin/reason.tsx';
import { countriesTyped } from '#product/billing/web/admin/typed.ts';
import { setStudio } from '#product/broadcast/client.ts';
import { MAX_STUDIO_LENGTH } from '#product/broadcast/rules.ts';
import { getSeoExperiment } from '#product/browse/client.ts';
import { SeoExperiment } from '#product/browse/web/seo/seo-experiment.tsx';
import { ReviewedDocuments } from '#product/legal/web/reviewed-documents.tsx';
import { getPushProvider } from '#product/notices/client.ts';
import { changeOperatorRules, getBanner, getOperatorRules, getSiteWords } from '#product/site/client.ts';
import { MAX_PHONE_LENGTH, MAX_RECORDING_QUOTA_MB, MAX_SCRIPT_LENGTH } from '#product/site/rules.ts';
import { useRef } from 'react';
import { useSite } from '../../document/site.ts';
import { SiteBannerForm } from './site-banner.tsx';
import { SitePushForm } from './site-push.tsx';
import { SiteWordsForm } from './site-words.tsx';
import { linesTyped } from './typed.ts';

const wanted = {
  texts: ['billing', 'browse', 'legal'],
  always: true,
  member: true,
  reads: () => [
    read(getOperatorRules, {}),
    read(getSiteWords, {}),
    read(getBanner, {}),
    read(getPushProvider, {}),
    read(getSeoExperiment, {}),
  ],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The operator's rules for all of its sites, and the studio of a performer. */
export default function SitePage() {
  const { t } = useTranslation('screens');
  const { t: ofBrowse } = useTranslation('browse');
  const { t: ofLegal } = useTranslation('legal');
  const experiment = useRead(getSeoExperiment, {});
  const rules = useRead(getOperatorRules, {});
  const words = useRead(getSiteWords, {});
  const banner = useRead(getBanner, {});
  const push = useRead(getPushProvider, {});
  const site = useSite()?.display_name ?? '';
  return (
    <Wide title={t('siteRules.title')} lead={t('siteRules.lead')}>
      <div className="flex flex-col gap-8">
        <Section anchor="rules" title={t('siteRules.rules')}>
          <Loaded read={rules} height="h-96">
            {(known) => <RulesForm key={JSON.stringify(known)} rules={known} />}
          </Loaded>
        </Section>
        <Section anchor="words" title={t('siteRules.words', { site })} lead={t('siteRules.wordsLead')}>
          <Loaded read={words} height="h-64">
            {(known) => <SiteWordsForm key={JSON.stringify(known)} words={known} />}
          </Loaded>
        </Section>
        <Section anchor="banner" title={t('siteBanner.title', { site })} lead={t('siteBanner.lead')}>
          <Loaded read={banner} height="h-64">
            {(known) => <SiteBannerForm key={JSON.stringify(known)} known={known} />}
          </Loaded>
        </Section>
        <Section anchor="push" title={t('sitePush.title')} lead={t('sitePush.lead')}>
          <Loaded read={push} height="h-64">
            {({ provider }) => <SitePushForm key={JSON.stringify(provider)} provider={provider} />}
          </Loaded>
        </Section>
        <Section anchor="seo" title={ofBrowse('seoExperiment.title')} lead={ofBrowse('seoExperiment.lead')}>
          <Loaded read={experiment} height="h-64">
            {(known) => <SeoExperiment experiment={known} />}
          </Loaded>
        </Section>
        <Section anchor="legal" title={ofLegal('index.title')} lead={ofLegal('draft')}>
          <ReviewedDocuments />
        </Section>
        <Section anchor="studio" title={t('siteRules.studio')} lead={t('siteRules.studioLead')}>
          <StudioForm />
        </Section>
      </div>
    </Wide>
  );
}

const orNull = (typed: string): string | null => (typed === '' ? null : typed);

/** Rules that are on or off, or one of two values. */
const switchesOf = (fields: FormData) => ({
  consent_asked: textOf(fields, 'consent_asked') === 'europe' ? 'europe' as const : 'everywhere' as const,
  support_chat_for_all: fields.has('support_chat_for_all'),
  refuse_disposable_emails: fields.has('refuse_disposable_emails'),
  limit_mailboxes: fields.has('limit_mailboxes'),
  require_two_factor: fields.has('require_two_factor'),
});

function RulesForm({ rules }: { rules: OutputOf<typeof getOperatorRules> }) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(changeOperatorRules, {
    shape: async () => (await import('#product/site/contract/operator-rules.ts')).changeOperatorRules,
    read: (fields) => {
      const quota = orNull(textOf(fields, 'recording_quota_mb').trim());
      return {
        standby_domains: linesTyped(fields, 'standby_domains'),
        standby_studios: linesTyped(fields, 'standby_studios'),
        tip_blocked_countries: countriesTyped(fields, 'tip_blocked_countries'),
        recording_quota_mb: quota === null ? null : Number(quota),
        dreamcam_server: orNull(textOf(fields, 'dreamcam_server').trim()),
        b_frames: textOf(fields, 'b_frames') === 'refuse' ? 'refuse' as const : 'transcode' as const,
        support_phone: orNull(textOf(fields, 'support_phone').trim()),
        support_script: orNull(textOf(fields, 'support_script').trim()),
        support_script_origins: linesTyped(fields, 'support_script_origins'),
        redirect_hosts: linesTyped(fields, 'redirect_hosts'),
        ...switchesOf(fields),
        reason: reasonOf(fields),
      };
    },
    words: {
      standby_domains: t('siteRules.badDomains'),
      tip_blocked_countries: t('siteRules.badCountries'),
      dreamcam_server: t('siteRules.badServer'),
      support_phone: t('siteRules.badPhone'),
      support_script: t('siteRules.badScript'),
      support_script_origins: t('siteRules.badOrigins'),
      redirect_hosts: t('siteRules.badHosts'),
    },
    onDone: async () => {
      await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === getOperatorRules.name });
      toast(ofBilling('web.operator.saved'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextArea
          {...form.field('standby_domains')}
          label={t('siteRules.domains')}
          hint={t('siteRules.domainsHint')}
          defaultValue={rules.standby_domains.join('\n')}
        />
        <TextArea
          {...form.field('standby_studios')}
          label={t('siteRules.studios')}
          hint={t('siteRules.studiosHint')}
          defaultValue={rules.standby_studios.join('\n')}
        />
        <TextField
          {...form.field('tip_blocked_countries')}
          label={t('siteRules.noTips')}
          hint={t('siteRules.noTipsHint')}
          autoComplete="off"
          defaultValue={rules.tip_blocked_countries.join(' ')}
        />
        <TextField
          {...form.field('recording_quota_mb')}
          label={t('siteRules.quota')}
          hint={t('siteRules.quotaHint')}
          type="number"
          min={0}
          max={MAX_RECORDING_QUOTA_MB}
          defaultValue={rules.recording_quota_mb ?? ''}
        />
        <TextField
          {...form.field('dreamcam_server')}
          label={t('siteRules.dreamcam')}
          hint={t('siteRules.dreamcamHint')}
          autoComplete="off"
          spellCheck={false}
          defaultValue={rules.dreamcam_server ?? ''}
        />
        <Select
          {...form.field('b_frames')}
          label={t('siteRules.bFrames')}
          hint={t('siteRules.bFramesHint')}
          defaultValue={rules.b_frames}
          options={[
            { value: 'transcode', text: t('siteRules.bFramesTranscode') },
            { value: 'refuse', text: t('siteRules.bFramesRefuse') },
          ]}
        />
        <ConsentAsked field={form.field('consent_asked')} known={rules.consent_asked} />
        <SupportFields form={form} rules={rules} />
        <RedirectHosts form={form} rules={rules} />
        <AccountRules form={form} rules={rules} />
      </div>
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{ofBilling('web.operator.save')}</Button>
      </div>
    </form>
  );
}

/** The other sites that redirect keys may lead to. */
function RedirectHosts({ form, rules }: FieldsProps) {
  const { t } = useTranslation('screens');
  return (
    <TextArea
      {...form.field('redirect_hosts')}
      label={t('siteRules.redirectHosts')}
      hint={t('siteRules.redirectHostsHint')}
      defaultValue={rules.redirect_hosts.join('\n')}
    />
  );
}

/** What sign-up refuses, and what staff need. */
function AccountRules({ form, rules }: FieldsProps) {
  const { t } = useTranslation('screens');
  return (
    <>
      <Checkbox
        {...form.field('refuse_disposable_emails')}
        label={t('siteRules.noDisposable')}
        defaultChecked={rules.refuse_disposable_emails}
      />
      <Checkbox
        {...form.field('limit_mailboxes')}
        label={t('siteRules.limitMailboxes')}
        defaultChecked={rules.limit_mailboxes}
      />
      <Checkbox
        {...form.field('require_two_factor')}
        label={t('siteRules.requireTwoFactor')}
        defaultChecked={rules.require_two_factor}
      />
    </>
  );
}

/** Where people are asked for consent. */
function ConsentAsked({ field, known }: {
  readonly field: { readonly name: string };
  readonly known: 'everywhere' | 'europe';
}) {
  const { t } = useTranslation('screens');
  return (
    <Select
      {...field}
      label={t('siteRules.consentAsked')}
      hint={t('siteRules.consentAskedHint')}
      defaultValue={known}
      options={[
        { value: 'everywhere', text: t('siteRules.consentEverywhere') },
        { value: 'europe', text: t('siteRules.consentEurope') },
      ]}
    />
  );
}

interface FieldsProps {
  readonly form: Pick<Form, 'field'>;
  readonly rules: OutputOf<typeof getOperatorRules>;
}

/** How people reach support besides the contact form. */
function SupportFields({ form, rules }: FieldsProps) {
  const { t } = useTranslation('screens');
  return (
    <>
      <TextField
        {...form.field('support_phone')}
        label={t('siteRules.supportPhone')}
        hint={t('siteRules.supportPhoneHint')}
        type="tel"
        maxLength={MAX_PHONE_LENGTH}
        autoComplete="off"
        defaultValue={rules.support_phone ?? ''}
      />
      <TextField
        {...form.field('support_script')}
        label={t('siteRules.supportScript')}
        hint={t('siteRules.supportScriptHint')}
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_SCRIPT_LENGTH}
        defaultValue={rules.support_script ?? ''}
      />
      <TextArea
        {...form.field('support_script_origins')}
        label={t('siteRules.supportOrigins')}
        hint={t('siteRules.supportOriginsHint')}
        defaultValue={rules.support_script_origins.join('\n')}
      />
      <Checkbox
        {...form.field('support_chat_for_all')}
        label={t('siteRules.supportChatForAll')}
        defaultChecked={rules.support_chat_for_all}
      />
    </>
  );
}

/** Puts a performer into a studio; nobody else can read which performers a studio has. */
function StudioForm() {
  const { t } = useTranslation('screens');
  const named = useRef('');
  const toast = useToast();
  const form = useForm(setStudio, {
    shape: async () => (await import('#product/broadcast/contract/settings.ts')).setStudio,
    read: (fields) => {
      named.current = textOf(fields, 'username').trim();
      return { username: named.current, studio: orNull(textOf(fields, 'studio').trim()) };
    },
    fieldOf: { performer_unknown: 'username' },
    onDone: ({ studio }) => {
      const name = named.current;
      const text = studio === null
        ? t('siteRules.studioGone', { name })
        : t('siteRules.studioSaved', { name, studio });
      toast(text, 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('username')}
          label={t('siteRules.performer')}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField
          {...form.field('studio')}
          label={t('siteRules.studioName')}
          hint={t('siteRules.studioHint')}
          maxLength={MAX_STUDIO_LENGTH}
          autoComplete="off"
        />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('siteRules.saveStudio')}</Button>
      </div>
    </form>
  );
}
