/**
 * What comes by itself to the lower end of a page: not over controls that the page has at its foot, nor over
 * those of one that fills the window. There it is over the header of the site.
 */
export const CLEAR_OF_FOOT = '[body:has([data-foot])_&]:top-16 [body:has([data-foot])_&]:bottom-auto '
  + '[body:has([data-fills])_&]:top-1 [body:has([data-fills])_&]:bottom-auto';
