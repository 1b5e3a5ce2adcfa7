import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { formOf } from '#platform/ui/controls/file-button.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateProfile } from '#product/accounts/client.ts';
import { useReloadMe, type Me } from '#product/accounts/web/me.ts';
import { useAudioLevel, useCamera } from '#product/broadcast/web/publish/camera.ts';
import { useEffect, useRef } from 'react';
import {
  confirmAgreement,
  confirmProfile,
  confirmTest,
  givePayoutCountry,
  uploadSelfie,
} from '../../client.ts';
import { showApplication } from '../live.ts';
import { CountryField } from './country-field.tsx';
import { PictureField } from './picture-field.tsx';

interface StepProps {
  readonly onDone: () => void;
}

/** The performer with their document. */
export function SelfieStep({ onDone }: StepProps) {
  const { t } = useTranslation('identity');
  const { run, busy, problem } = useAction(uploadSelfie, showApplication);
  const send = async (file: File) => {
    if (await run({}, { form: formOf(file) })) onDone();
  };
  return (
    <PictureField
      label={t('picture.selfie')}
      hint={t('picture.selfieHint')}
      facing="user"
      isThere={false}
      busy={busy}
      problem={problem}
      onPicture={(file) => void send(file)}
    />
  );
}

/** The agreement is signed on a page of its own. */
export function AgreementStep({ path, onDone }: StepProps & { readonly path: string | null }) {
  const { t } = useTranslation('identity');
  const { run, busy, problem } = useAction(confirmAgreement, showApplication);
  const confirm = async () => {
    if (await run({})) onDone();
  };
  return (
    <div className="flex flex-col gap-3">
      <FormError problem={problem} />
      {path === null ? null : <ButtonLink to={path}>{t('fields.readAgreement')}</ButtonLink>}
      <Button tone="primary" wide busy={busy} onClick={() => void confirm()}>{t('fields.signed')}</Button>
    </div>
  );
}

/** The country that payouts go to. */
export function PayoutStep({ onDone }: StepProps) {
  const { t } = useTranslation('identity');
  const form = useForm(givePayoutCountry, {
    shape: async () => (await import('../../contract.ts')).givePayoutCountry,
    read: (fields) => ({ country: textOf(fields, 'country') }),
    fieldOf: { country_unknown: 'country' },
    applied: showApplication,
    onDone,
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <CountryField {...form.field('country')} label={t('fields.payoutCountry')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('fields.save')}</Button>
    </form>
  );
}

/** Most of what performers speak; more languages are chosen with the listing. */
const LANGUAGES = 'ar cs da de el en es fi fr hi hu id it ja ko nb nl pl pt ro ru sk sv th tr uk zh'.split(
  ' ',
);
const MAX_ABOUT_LENGTH = 2_000;

/** A text about the performer, and a language they speak. */
export function ProfileStep({ me: { user }, onDone }: StepProps & { readonly me: Me }) {
  const { t, i18n } = useTranslation('identity');
  const { run, problem } = useAction(confirmProfile, showApplication);
  const reloadMe = useReloadMe();
  const names = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
  const [known] = user.languages;
  const form = useForm(updateProfile, {
    shape: async () => (await import('#product/accounts/contract.ts')).updateProfile,
    read: (fields) => {
      const language = textOf(fields, 'language');
      return {
        about: textOf(fields, 'about').trim(),
        languages: [language, ...user.languages.filter((one) => one !== language)],
      };
    },
    onDone: async () => {
      await reloadMe();
      if (await run({})) onDone();
    },
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <TextArea
        {...form.field('about')}
        label={t('fields.about')}
        hint={t('fields.aboutHint')}
        required
        defaultValue={user.about}
        maxLength={MAX_ABOUT_LENGTH}
      />
      <Select
        {...form.field('language')}
        label={t('fields.language')}
        required
        placeholder={t('fields.choose')}
        defaultValue={known ?? ''}
        options={[...new Set([...known ? [known] : [], ...LANGUAGES])]
          .map((value) => ({ value, text: names.of(value) ?? value }))}
      />
      <FormError problem={form.problem ?? problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('fields.save')}</Button>
    </form>
  );
}

/** Camera and microphone in this browser; nothing of it is sent. */
export function TestStep({ onDone }: StepProps) {
  const { t } = useTranslation('identity');
  const camera = useCamera();
  const level = useAudioLevel(camera.media);
  const video = useRef<HTMLVideoElement>(null);
  const { run, busy, problem } = useAction(confirmTest, showApplication);
  useEffect(() => {
    if (video.current) video.current.srcObject = camera.media;
  }, [camera.media]);
  const confirm = async () => {
    const settings = camera.media?.getVideoTracks()[0]?.getSettings();
    const input = {
      width: settings?.width ?? 0,
      height: settings?.height ?? 0,
      has_audio: (camera.media?.getAudioTracks().length ?? 0) > 0,
    };
    if (await run(input)) onDone();
  };
  return (
    <div className="flex flex-col gap-3">
      <FormError problem={problem} />
      {camera.trouble === null
        ? null
        : <p role="alert" className="text-sm text-danger-text">{t(`picture.trouble.${camera.trouble}`)}</p>}
      {camera.media === null
        ? (
          <Button tone="primary" wide busy={camera.asking} onClick={() => void camera.open()}>
            {t('fields.startTest')}
          </Button>
        )
        : (
          <>
            <video
              ref={video}
              autoPlay
              playsInline
              muted
              aria-label={t('picture.preview')}
              className="w-full -scale-x-100 rounded-control bg-raised"
            />
            <div className="flex items-center gap-3 text-sm">
              <span>{t('fields.sound')}</span>
              <div className="h-2 grow overflow-hidden rounded-full bg-raised" aria-hidden>
                <div className="h-full bg-online" style={{ width: `${Math.round(level * 100)}%` }} />
              </div>
            </div>
            <Button tone="primary" wide busy={busy} onClick={() => void confirm()}>
              {t('fields.testWorks')}
            </Button>
          </>
        )}
    </div>
  );
}
