"""Parts that all reports share: what a document says about itself, pages, pictures."""

from pathlib import Path

import pytest

from motionbase.errors import UsageError
from motionbase.report.document import Document, fingerprint, versions
from motionbase.report.figures import as_data, new_figure, save
from motionbase.report.page import environment, write_text


def test_the_first_page_names_who_and_when() -> None:
    head = dict(Document("2026-05-31", "B", customer="Example Ltd").head("simona"))
    assert head["Author"] == "not named" and head["For"] == "Example Ltd" and head["Data"] == "simona"
    assert "For" not in dict(Document("2026-05-31").head("simona"))
    assert {"Python", "motionbase", "casadi"} <= versions().keys()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"date": "yesterday"}, "--date is 'yesterday', a day such as 2026-05-31 is wanted"),
        ({"date": "2026-05-31", "author": "a\nb"}, "--author is"),
        ({"date": "2026-05-31", "revision": "x" * 121}, "--revision is"),
    ],
)
def test_what_no_document_can_say_is_refused(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Document(**given)


def test_equal_data_have_equal_fingerprints() -> None:
    assert fingerprint(Document("2026-05-31")) == fingerprint(Document("2026-05-31"))
    assert fingerprint(Document("2026-05-31")) != fingerprint(Document("2026-06-01"))


def test_templates_escape_what_people_wrote() -> None:
    made = environment("motionbase.report").from_string("{{ name }} {{ foot|css|safe }} {{ 0.0|signed(1) }}")
    assert made.render(name="<b>", foot='a "b" <c') == '&lt;b&gt; "a \\"b\\" \\3c c" +0.0'


def test_pictures_and_pages_go_to_files_or_say_why_not(tmp_path: Path) -> None:
    figure = new_figure(2, 2)
    save(figure, tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text().startswith("<?xml")
    assert as_data(figure, 20).startswith("data:image/png;base64,")
    with pytest.raises(UsageError, match="must end in"):
        save(figure, tmp_path / "one.gif")
    with pytest.raises(UsageError, match="No such file"):
        save(figure, tmp_path / "nowhere" / "one.png")
    with pytest.raises(UsageError, match="No such file"):
        write_text(tmp_path / "nowhere" / "one.html", "")
