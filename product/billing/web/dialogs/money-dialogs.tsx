import { useTexts } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';
import { FreeTokensDialog, PromoDialog } from '../promos/promo-dialogs.tsx';
import { WheelDialog } from '../promos/wheel-dialog.tsx';
import type { ListingOptions, MoneyStep, StepProps } from '../steps.ts';
import { BillerDialog } from './biller-dialog.tsx';
import { DailyLimitDialog } from './daily-limit-dialog.tsx';
import {
  CountryDialog,
  DeclinedDialog,
  FailedDialog,
  SuccessDialog,
  SupportDialog,
} from './outcome-dialogs.tsx';
import { PostpayCardDialog, PostpayVerifyDialog } from './postpay-dialogs.tsx';
import { PurchaseDialog } from './purchase-dialog.tsx';
import { WaitingDialog } from './waiting-dialog.tsx';

interface MoneyDialogsProps extends StepProps {
  readonly step: MoneyStep;
  readonly wish: ListingOptions;
  /** Asks a guest to sign up; returns whether somebody is logged in. */
  readonly admit: () => Promise<boolean>;
  /** Content below the products of the purchase dialog. */
  readonly more?: ReactNode;
}

/** The open money dialog. */
export function MoneyDialogs({ step, wish, admit, more, ...rest }: MoneyDialogsProps) {
  if (!useTexts('billing')) return null;
  switch (step.kind) {
    case 'purchase':
      return <PurchaseDialog {...rest} step={step} wish={wish} more={more} />;
    case 'biller':
      return <BillerDialog {...rest} step={step} />;
    case 'waiting':
      return <WaitingDialog {...rest} step={step} />;
    case 'success':
      return <SuccessDialog {...rest} step={step} />;
    case 'failed':
      return <FailedDialog {...rest} step={step} />;
    case 'declined':
      return <DeclinedDialog {...rest} step={step} />;
    case 'postpay_card':
      return <PostpayCardDialog {...rest} />;
    case 'postpay_verify':
      return <PostpayVerifyDialog {...rest} />;
    case 'daily_low_limit':
      return <DailyLimitDialog {...rest} of={step.of} />;
    case 'country':
      return <CountryDialog {...rest} />;
    case 'support':
      return <SupportDialog {...rest} />;
    case 'promo':
      return <PromoDialog {...rest} step={step} admit={admit} wish={wish} />;
    case 'wheel':
      return <WheelDialog {...rest} vault={step.vault} />;
    case 'free_tokens':
      return <FreeTokensDialog {...rest} tokens={step.tokens} admit={admit} />;
  }
}
