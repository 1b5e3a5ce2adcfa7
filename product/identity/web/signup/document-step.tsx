import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { formOf } from '#platform/ui/controls/file-button.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { giveDocument, uploadDocument } from '../../client.ts';
import type { ApplicationView } from '../../contract.ts';
import { DOCUMENT_KINDS, hasBack, type DocumentKind } from '../../rules.ts';
import { showApplication } from '../live.ts';
import { CountryField } from './country-field.tsx';
import { PictureField } from './picture-field.tsx';

interface DocumentStepProps {
  readonly application: ApplicationView;
  readonly onDone: () => void;
}

/** Which document it is, then its pictures. */
export function DocumentStep({ application, onDone }: DocumentStepProps) {
  const { t } = useTranslation('identity');
  const { kind, has_front: hasFront, has_back: isBackThere } = application.document;
  const [isChanging, setChanging] = useState(false);
  if (kind === null || isChanging) return <DetailsForm onDone={() => setChanging(false)} />;
  const [last] = hasBack(kind) ? ['back'] as const : ['front'] as const;
  const sides = hasBack(kind) ? ['front', 'back'] as const : ['front'] as const;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm">{t(`documents.${kind}`)}</p>
        <Button onClick={() => setChanging(true)}>{t('fields.otherDocument')}</Button>
      </div>
      {sides.map((side) => (
        <Side
          key={side}
          side={side}
          isPage={!hasBack(kind)}
          isThere={side === 'front' ? hasFront : isBackThere}
          onDone={side === last && hasFront ? onDone : () => undefined}
        />
      ))}
    </div>
  );
}

function DetailsForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation('identity');
  const form = useForm(giveDocument, {
    shape: async () => (await import('../../contract.ts')).giveDocument,
    read: (fields) => ({
      kind: textOf(fields, 'kind') as DocumentKind,
      country: textOf(fields, 'country'),
      number_end: textOf(fields, 'number_end').trim(),
      expires_on: textOf(fields, 'expires_on'),
    }),
    fieldOf: { country_unknown: 'country', document_expired: 'expires_on' },
    applied: showApplication,
    onDone,
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <Select
        {...form.field('kind')}
        label={t('fields.kind')}
        required
        placeholder={t('fields.choose')}
        defaultValue=""
        options={DOCUMENT_KINDS.map((value) => ({ value, text: t(`documents.${value}`) }))}
      />
      <CountryField {...form.field('country')} label={t('fields.issuedBy')} />
      <TextField
        {...form.field('number_end')}
        label={t('fields.numberEnd')}
        hint={t('fields.numberEndHint')}
        required
        minLength={4}
        maxLength={4}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
      <TextField {...form.field('expires_on')} type="date" label={t('fields.expiresOn')} required />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('fields.toPictures')}</Button>
    </form>
  );
}

function Side({ side, isPage, isThere, onDone }: {
  readonly side: 'front' | 'back';
  readonly isPage: boolean;
  readonly isThere: boolean;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('identity');
  const { run, busy, problem } = useAction(uploadDocument, showApplication);
  const send = async (file: File) => {
    if (await run({ side }, { form: formOf(file) })) onDone();
  };
  return (
    <PictureField
      label={t(isPage ? 'picture.page' : `picture.${side}`)}
      hint={t('picture.documentHint')}
      facing="environment"
      isThere={isThere}
      busy={busy}
      problem={problem}
      onPicture={(file) => void send(file)}
    />
  );
}
