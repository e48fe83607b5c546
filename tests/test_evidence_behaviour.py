"""What a reply did without a call: answered, asked, refused, escalated."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rootcall
from rootcall.evidence.behaviour import ACTS, Behaviour, behaviour
from rootcall.evidence.languages import language_of, languages_of
from rootcall.evidence.speech import clauses

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(line) for line in (DATA / "behaviour_texts.jsonl").read_text("utf-8").splitlines()]

# Trace and message of published airline runs, read by hand.
AIRLINE = {
    ("39-1", 2): "asked",
    ("39-1", 8): "asked",
    ("39-1", 12): "answered",
    ("39-1", 14): "answered",
    ("45-2", 2): "asked",
    ("45-2", 10): "answered",
    ("24-1", 2): "asked",
    ("24-1", 12): "asked",
    ("13-1", 2): "asked",
    ("13-1", 8): "asked",
    ("13-1", 16): "answered",
    ("13-1", 20): "answered",
    ("15-2", 2): "refused",
    ("15-2", 4): "refused",
    ("15-2", 6): "asked",
    ("15-2", 10): "asked",
    ("15-2", 24): "refused",
    ("12-3", 4): "asked",
    ("12-3", 8): "answered",
}


def test_replies_of_published_runs() -> None:
    found = {}
    for trace in rootcall.read(DATA / "traces" / "tau_airline.jsonl"):
        request = ""
        for m in trace.messages:
            request = (m.text or "") if m.role == "user" else request
            if (trace.id, m.index) in AIRLINE:
                found[trace.id, m.index] = behaviour(m.text or "", request).known
    assert found == AIRLINE


def test_replies_of_an_outside_author() -> None:
    rows = [json.loads(line) for line in (DATA / "replies_ko_de_es_ja.jsonl").read_text("utf-8").splitlines()]
    wrong = [r["id"] for r in rows if behaviour(r["reply"], r["user"]).known != r["behaviour"]]
    assert len(rows) == 200
    assert len(wrong) <= 6, wrong


@pytest.mark.parametrize("language", ["en", "ko", "de", "es", "ja"])
def test_replies_of_a_language(language: str) -> None:
    rows = [r for r in ROWS if r["lang"] == language]
    wrong = [r["id"] for r in rows if behaviour(r["reply"], r["user"]).known != r["behaviour"]]
    assert len(rows) > 20
    assert len(wrong) <= 0.05 * len(rows), wrong


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Sorry for the wait! Your parcel arrives on Tuesday.", "answered"),
        ("I'm sorry, I can't change that. You could try the airline's website.", "refused"),
        ("The museum opens at 10. Would you like directions?", "answered"),
        ("Which museum do you mean?", "asked"),
        ("I can't look it up without your ticket number. What is it?", "asked"),
        ("I've passed this on to our billing team.", "escalated"),
        ("I can't unlock it myself, so I've passed it on to our security team.", "escalated"),
        ("I can't pass you on to a colleague.", "refused"),
        ("If you like, I can put you through to a colleague.", "asked"),
        ("I can't cancel it. If you like, I can put you through to a colleague.", "refused"),
        ("I can't cancel it. Please contact our support team.", "refused"),
    ],
)
def test_order_and_kind_of_the_parts_decide(text: str, act: str) -> None:
    assert behaviour(text).act == act


def test_the_words_that_decided_are_told_with_their_place() -> None:
    text = "Happy to help. Which day suits you? Have a nice evening!"
    found = behaviour(text, "Book a haircut")
    assert (found.act, found.words, found.sure) == ("asked", "Which day suits you?", True)
    assert text[found.start : found.end].strip() == found.words


@pytest.mark.parametrize(
    ("request_text", "act"),
    [("Cancel my ticket", "refused"), ("Is it possible to cancel this ticket?", "answered")],
)
def test_the_same_no_refuses_a_deed_and_answers_a_question(request_text: str, act: str) -> None:
    assert behaviour("This ticket cannot be cancelled.", request_text).known == act


def test_telling_of_an_errand_is_no_hand_over() -> None:
    text = "I've forwarded the report to the finance team."
    assert behaviour(text, "Forward the report to the finance team").known == "answered"
    assert behaviour(text, "The figures look wrong").known == "escalated"


def test_a_question_in_a_text_that_was_to_be_written_is_its_content() -> None:
    assert behaviour("Where is the station?", "Translate to English: ¿Dónde está la estación?").known == "answered"
    assert behaviour("Which language should I translate it into?", "Translate this").known == "asked"


def test_what_is_to_be_entered_is_an_answer_where_the_way_was_asked_for() -> None:
    text = "Open the settings, choose Security and please enter the code."
    assert behaviour(text, "How do I reset my password?").known == "answered"


def test_quoted_words_do_not_count() -> None:
    assert behaviour('Her mail says: "I can\'t come. Could you send me the slides?"').known == "answered"
    assert behaviour("Er schreibt: „Ich kann leider nicht kommen.“").known == "answered"
    assert behaviour("Use this:\n```\nraise Refused('I cannot help with that')\n```").known == "answered"
    assert behaviour("메일 내용은 “도와드릴 수 없습니다”입니다.").known == "answered"


def test_a_question_in_quotes_that_is_the_whole_reply_counts() -> None:
    assert behaviour('"Which day would you like?"').known == "asked"


@pytest.mark.parametrize("text", ["{}", '{"price": 120}', "42", "Name: Ada\nRole: engineer", "1. 12.40\n2. 13.10"])
def test_data_alone_is_an_answer(text: str) -> None:
    assert behaviour(text).known == "answered"


@pytest.mark.parametrize("text", ["", "  \n", "Let me check that for you.", "One moment, please.", "...", "?!"])
def test_nothing_is_concluded_from_nothing(text: str) -> None:
    assert behaviour(text).known is None


@pytest.mark.parametrize(
    "text", ["Maaf, barang ini tidak tersedia.", "Ваш заказ отправлен.", "आपका ऑर्डर भेज दिया गया है।"]
)
def test_a_language_that_is_not_read_stays_unsure(text: str) -> None:
    assert behaviour(text).known is None


def test_a_guess_is_kept_apart_from_what_is_known() -> None:
    guess = Behaviour("refused", "Ask the bank.", 0, 13, sure=False)
    assert (guess.act, guess.known) == ("refused", None)


CLOSINGS = {
    "en": " Is there anything else I can help you with?",
    "de": " Kann ich sonst noch etwas für Sie tun?",
    "es": " ¿Hay algo más en lo que pueda ayudarle?",
    "ko": " 더 필요하신 것이 있으면 말씀해 주세요.",
    "ja": "他にご不明な点がございましたら、お気軽にお尋ねください。",
}


@pytest.mark.parametrize("row", ROWS[::3], ids=lambda r: r["id"])
def test_a_closing_courtesy_changes_nothing(row: dict[str, str]) -> None:
    before = behaviour(row["reply"], row["user"])
    assert behaviour(row["reply"] + CLOSINGS[row["lang"]], row["user"]).act == before.act


@settings(deadline=None)  # the first text in a language compiles its words
@given(st.text(), st.text())
def test_any_text_is_read(text: str, request_text: str) -> None:
    found = behaviour(text, request_text)
    assert found.act in (*ACTS, None)
    assert 0 <= found.start <= found.end <= len(text)
    assert found.words in text
    assert not found.sure or found.act is not None


@given(st.lists(st.sampled_from([r["reply"] for r in ROWS]), max_size=6), st.sampled_from([r["user"] for r in ROWS]))
@settings(max_examples=60, deadline=None)
def test_clauses_lie_in_the_text_in_order(parts: list[str], request_text: str) -> None:
    text = "\n".join(parts)
    read = clauses(text)
    assert all(a.end <= b.start for a, b in pairwise(read))
    assert all(len(c.text) == c.end - c.start for c in read)
    assert behaviour(text, request_text) == behaviour(text, request_text)


@pytest.mark.parametrize(
    "text",
    ["a" * 300_000, "could you " * 40_000, "?" * 200_000, "수 없 " * 80_000, "ich kann " * 60_000, "'" * 100_001, "no puedo, " * 50_000,
     "I can't do that. " + "x " * 200_000 + "Which one do you want?"],
)  # fmt: skip
def test_a_very_long_text_takes_no_longer(text: str) -> None:
    started = time.perf_counter()
    behaviour(text, text)
    assert time.perf_counter() - started < 10


def test_the_end_of_a_long_text_is_read() -> None:
    assert behaviour("The list goes on. " * 1000 + "Which of these would you like?").known == "asked"


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("The room is booked for you", ("en",)),
        ("Das Zimmer ist für Sie gebucht", ("de", "en")),
        ("Fly to 서울 on Monday and come back on Friday", ("en",)),
        ("서울행 KE701 예약", ("ko", "en")),
        ("東京のホテル", ("ja", "en")),
        ("Ваш заказ", ()),
        ("", ()),
    ],
)
def test_the_languages_whose_words_can_stand_in_a_text(text: str, languages: tuple[str, ...]) -> None:
    assert languages_of(text) == languages


def test_a_text_without_small_words_can_be_any_language() -> None:
    assert {"en", "de", "es"} <= set(languages_of("Hotel Madrid"))
    assert language_of("Hotel Madrid") is None


@pytest.mark.parametrize(
    "text", ["One moment, please, I'll check.", "Please hold on while I look that up.", "Hold on, let me check."]
)
def test_a_promise_to_look_is_neither_an_answer_nor_a_refusal(text: str) -> None:
    for request in ("", "Where is my order?", "Cancel order 5"):
        assert behaviour(text, request).known is None
