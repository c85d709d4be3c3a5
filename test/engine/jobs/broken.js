/** A module that throws while it loads. */
throw new Error('this module is broken');
