-- Of people who are gone, tips stay without what they wrote.
grant update (comment, app_data, title) on tips.tips to candela_app;
