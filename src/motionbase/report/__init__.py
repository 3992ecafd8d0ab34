"""Documents for people: pages of HTML and PDF with a date and a revision, and the pictures in them."""
