import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { contactSupport } from '../client.ts';
import { MAX_MESSAGE_LENGTH, TOPICS, type Topic } from '../rules.ts';

const FIELD_OF = { email_missing: 'email' } as const;

/** Sends a request to support. What was typed stays until it is sent. */
export function ContactForm({ topic }: { readonly topic?: Topic }) {
  const { t } = useTranslation('support');
  const isMember = useMe() !== null;
  const [isSent, setSent] = useState(false);
  const form = useForm(contactSupport, {
    shape: async () => (await import('../contract.ts')).contactSupport,
    read: (fields) => ({
      topic: textOf(fields, 'topic') as Topic,
      message: textOf(fields, 'message').trim(),
      ...(fields.has('email') ? { email: textOf(fields, 'email').trim() } : {}),
    }),
    fieldOf: FIELD_OF,
    onDone: () => setSent(true),
  });
  if (isSent) {
    return (
      <div className="flex flex-col items-start gap-4">
        <p role="status">{t('sent')}</p>
        <Button onClick={() => setSent(false)}>{t('another')}</Button>
      </div>
    );
  }
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <Select
        {...form.field('topic')}
        label={t('topic')}
        required
        placeholder={t('choose')}
        defaultValue={topic ?? ''}
        options={TOPICS.map((item) => ({ value: item, text: t(keyOf('support', 'topics', item)) }))}
      />
      <TextArea
        {...form.field('message')}
        label={t('message')}
        hint={t('messageHint')}
        required
        rows={6}
        maxLength={MAX_MESSAGE_LENGTH}
      />
      {isMember
        ? null
        : (
          <TextField
            {...form.field('email')}
            type="email"
            label={t('email')}
            hint={t('emailHint')}
            required
            autoComplete="email"
          />
        )}
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" busy={form.busy}>{t('send')}</Button>
    </form>
  );
}
