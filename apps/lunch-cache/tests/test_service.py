"""lunch-cache as a service: its API, its memory of an hour, what it does by itself, several copies."""

import datetime
import http.client
import pathlib
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from lunch import LUNCH, MENU, TABLE, LunchCache
from testing import Service
from waiting import wait_until
from wire import clock

RESTAURANT = "RESTAURANT is 1 to 64 lower-case letters, digits or '-', not"


class Serve(LunchCache):
    server_arguments = ["--memory", "--test-clock"]
    PATH = "/menus/niagara/2025/3"

    def service(self, *arguments, **settings):
        return Service("lunch-cache", self.server.endpoint, *arguments, **settings)

    def test_menus(self):
        body = {"lunches": [LUNCH, {**LUNCH, "price": 0}], "source": "niagara-parser"}
        with self.service() as service:
            self.assertEqual(service.get(self.PATH), (404, {"error": "there is no menu niagara-2025-03"}))
            status, stored = service.request("PUT", self.PATH, body)
            self.assertEqual((status, stored["pk"], stored["lunchCount"]), (200, "niagara-2025-03", 1))
            self.assertEqual(stored["validationErrors"], [{"lunch": 2, "field": "price", "message": "is not a number above zero"}])
            status, menu = service.get(self.PATH)
            self.assertEqual((status, menu["lunches"], menu["dataQuality"]), (200, [LUNCH], {"completeness": 1, "accuracy": 0.92}))
            many = [{**MENU, "week": week, "lunches": [{**LUNCH, "week": week}]} for week in range(10, 45)]
            status, stored = service.post("/menus", {"menus": many, "ttlSeconds": 60})
            self.assertEqual((status, len(stored["menus"])), (200, 35))
            self.assertTrue(0 < int(self.item("niagara-2025-44")["ttl"]["N"]) - time.time() <= 60)
            status, history = service.get("/restaurants/niagara/history?limit=2")
            self.assertEqual((status, len(history["menus"]), "lunches" in history["menus"][0]), (200, 2, False))
            status, history = service.get("/restaurants/niagara/history?errors=true")
            self.assertEqual([menu["pk"] for menu in history["menus"]], ["niagara-2025-03"])
            figures = {"restaurant": "niagara", "menus": 36, "lunches": 36, "errors": 1, "expired": 0}
            self.assertEqual(service.get("/restaurants/niagara/stats"), (200, figures))
            self.assertEqual(service.get("/stats"), (200, {"all": {**figures, "restaurant": "all"}, "restaurants": [figures]}))
            self.assertEqual(service.request("DELETE", self.PATH), (200, {"deleted": "niagara-2025-03"}))
            self.assertEqual(service.request("DELETE", self.PATH)[0], 404)
            self.assertEqual(service.get(self.PATH)[0], 404)
            year, week, _ = datetime.datetime.now(datetime.timezone.utc).isocalendar()
            service.request("PUT", f"/menus/niagara/{year}/{week}", {"lunches": [{**LUNCH, "week": week}]})
            self.assertEqual(service.get("/menus/niagara")[1]["week"], week)
            left = 604800 - (time.time() + 259200) % 604800  # of this week
            age = int(self.headers(service, "/menus/niagara")["Cache-Control"].removeprefix("max-age="))
            self.assertTrue(0 < age <= 3600 and (age <= left or left < 60), (age, left))

    def test_what_is_refused(self):
        with self.service() as service:
            before = self.everything()
            for path, body, status, error in (
                    ("/menus/Niagara/2025/3", {"lunches": [LUNCH]}, 400, f"{RESTAURANT} 'Niagara'"),
                    ("/menus/niagara/2025/53", {"lunches": [LUNCH]}, 400, "WEEK of 2025 is a number from 1 to 52, not '53'"),
                    (self.PATH, {}, 400, "lunches is missing"),
                    (self.PATH, {"lunches": []}, 400, "the menu has no list of 1 to 200 lunches"),
                    (self.PATH, {"lunches": [LUNCH], "ttlSeconds": 0}, 400, "ttlSeconds is from 1 to 31622400"),
                    (self.PATH, {"lunches": [LUNCH], "colour": "red"}, 400,
                     "the menu has members besides restaurant, year, week, lunches, source and lastUpdated"),
                    (self.PATH, {"lunches": [{}]}, 422, "no lunch of niagara-2025-03 is right; nothing was stored")):
                self.assertEqual(service.request("PUT", path, body), (status, {"error": error}))
            for menus, error in (([], "menus has 1 to 100 menus"), ([MENU] * 101, "menus has 1 to 100 menus"),
                                 ([MENU, MENU], "menus 1 and 2 are the same one"), ([MENU, 5], "menu 2 is not a JSON object")):
                self.assertEqual(service.post("/menus", {"menus": menus}), (400, {"error": error}))
            self.assertEqual(service.get("/restaurants/niagara/history?limit=0"), (400, {"error": "limit is from 1 to 1000"}))
            self.assertEqual(service.get("/menus"), (405, {"error": "there is no such method of this path"}))
            self.assertEqual(self.everything(), before)

    def test_the_frame(self):
        with self.service() as service:
            self.assertEqual(service.get("/health/ready"), (200, {"status": "ok"}))
            self.assertEqual(self.everything(), {TABLE: []})  # a put, a get and a delete
            self.assertEqual(len(service.get("/openapi.json")[1]["paths"]), 6)
            self.assertIn("gramme_lunch_cache_menus_stored_total 0\n", service.text("/metrics"))
            self.client.delete_table(TableName=TABLE)
            self.assertEqual(service.get("/health/ready"), (503, {"status": "unavailable"}))
            self.assertEqual(service.get(self.PATH)[0], 503)

    def headers(self, service, path):
        connection = http.client.HTTPConnection(service.host, timeout=30)
        connection.request("GET", path)
        reply = connection.getresponse()
        reply.read()
        connection.close()
        return dict(reply.getheaders())

    def test_menus_are_kept_for_an_hour(self):
        """By the process and by its clients; what the process itself changes shows at once, and ?fresh=true what others did."""
        self.store(MENU)
        with self.service() as service:
            self.assertEqual(service.get(self.PATH)[1]["lunchCount"], 1)
            self.store({**MENU, "lunches": [LUNCH] * 2})
            self.assertEqual(service.get(self.PATH)[1]["lunchCount"], 1)
            self.assertRegex(self.headers(service, self.PATH)["Cache-Control"], r"^max-age=3[56]\d\d$")
            self.assertEqual(service.get(f"{self.PATH}?fresh=true")[1]["lunchCount"], 2)
            self.assertEqual(service.get(self.PATH)[1]["lunchCount"], 2)
            service.request("PUT", self.PATH, {"lunches": [LUNCH] * 3, "ttlSeconds": 1000})
            self.assertEqual(service.get(self.PATH)[1]["lunchCount"], 3)
            self.assertRegex(self.headers(service, self.PATH)["Cache-Control"], r"^max-age=(\d{3}|1000)$")  # as its ttl says
            self.run_app("delete", "niagara", "2025", "3")
            self.assertEqual([service.get(f"{self.PATH}{more}")[0] for more in ("", "?fresh=true", "")], [200, 404, 404])
            self.assertEqual(self.headers(service, "/stats")["Cache-Control"], "no-store")
            metrics = service.text("/metrics")
            self.assertIn("gramme_lunch_cache_cache_misses_total 5\n", metrics)
            self.assertIn("gramme_lunch_cache_cache_hits_total 5\n", metrics)
        self.store({**MENU, "lunches": [LUNCH] * 2})
        with self.service("--cache-for", "1s") as service:
            service.get(self.PATH)
            self.store(MENU)
            wait_until(lambda: service.get(self.PATH)[1]["lunchCount"] == 1)

    def test_grades_show_at_once(self):
        """Also of a menu that is in memory."""
        with self.service("--grade-every", "1s") as service:
            self.client.put_item(TableName=TABLE, Item={
                "pk": {"S": "niagara-2025-03"}, "restaurant": {"S": "niagara"}, "week": {"N": "3"}, "cachedAt": {"S": "then"},
                "lunches": {"L": [{"M": {"name": {"S": "Fisk"}}}]}})
            wait_until(lambda: "dataQuality" in service.get(self.PATH)[1])

    def test_more_menus_than_are_kept(self):
        with self.service() as service:
            for number in range(300):
                service.request("PUT", f"/menus/place-{number}/2025/3", {"lunches": [LUNCH]})
                self.assertEqual(service.get(f"/menus/place-{number}/2025/3")[0], 200)

    def test_it_cleans_and_grades_by_itself(self):
        """Two copies at once do it once."""
        clock(self.server.port, Running=False)  # so that the server does not delete anything
        for week in range(1, 21):
            self.store({**MENU, "week": week, "lunches": [{**LUNCH, "week": week}]}, "--ttl", "1s" if week <= 10 else "1h")
        self.client.put_item(TableName=TABLE, Item={
            "pk": {"S": "kvarnen-2025-03"}, "restaurant": {"S": "kvarnen"}, "week": {"N": "3"}, "cachedAt": {"S": "then"},
            "lunches": {"L": [{"M": {"name": {"S": "Fisk"}}}]}})
        often = ("--cleanup-every", "1s", "--grade-every", "1s")
        with self.service(*often) as one, self.service(*often) as other:
            def counts():
                pages = [service.text("/metrics") for service in (one, other)]
                return [sum(int(re.search(f"gramme_lunch_cache_menus_{name}_total (\\d+)", page)[1]) for page in pages)
                        for name in ("cleaned", "graded")]

            wait_until(lambda: counts() == [10, 1])
            self.assertEqual(len(self.everything()[TABLE]), 11)
            self.assertIn("dataQuality", self.item("kvarnen-2025-03"))
            self.assertIn('gramme_lunch_cache_task_runs_total{task="grade",outcome="failed"} 0\n', one.text("/metrics"))

    def test_settings_by_the_environment(self):
        with self.service(environment={"GRAMME_LUNCH_CACHE_TTL": "1h"}) as service:
            service.request("PUT", self.PATH, {"lunches": [LUNCH]})
        self.assertTrue(3500 < int(self.item("niagara-2025-03")["ttl"]["N"]) - time.time() <= 3600)


if __name__ == "__main__":
    unittest.main()
