-- What was chosen and counted goes with its person.
grant delete on browse.history_settings, browse.learning_settings, browse.thumb_clicks to candela_app;
