/**
 * Classes for elements that appear by themselves at the lower end of a page. They must not cover controls at
 * the foot of the page, nor those of a page that fills the window: there they go over the header of the site.
 */
export const CLEAR_OF_FOOT = '[body:has([data-foot])_&]:top-16 [body:has([data-foot])_&]:bottom-auto '
  + '[body:has([data-fills])_&]:top-1 [body:has([data-fills])_&]:bottom-auto';
